"""The evaluation harness behind `bigfoot bench`. docs/design-bench.md says how the parts fit."""
