/* What x264 tells its users of its configuration. */
#pragma once

#define X264_GPL 1
#define X264_INTERLACED 1
#define X264_BIT_DEPTH 8
#define X264_CHROMA_FORMAT 0
#define X264_VERSION ""
#define X264_POINTVER ""
