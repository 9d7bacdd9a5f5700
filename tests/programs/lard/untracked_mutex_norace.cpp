// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A scheduler's lock is taken as one logical thread and given back as another, and its condition
// variable waits in between: none of it is the program's doing, nor a mistake of it. A lock of the
// program that is given back by untracked code is free afterwards.
#include <bigfoot/lard.h>
#include <pthread.h>

#include "script.h"
#include "spawn.h"

pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, program_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool ready;
int shared;

void switch_inside_lock(bf_lard_thread to) {
  pthread_mutex_lock(&queue_lock);
  bf_lard_thread_switch(to, BF_LARD_SAME_STACK);
  pthread_mutex_unlock(&queue_lock);
}

int main() {
  const bf_lard_thread home = bf_lard_thread_current(), green = bf_lard_thread_create(0);
  {
    bigfoot::lard::Untracked region;
    switch_inside_lock(green);
    bf_lard_untracked_begin(BF_LARD_ALL);
    switch_inside_lock(home);
  }
  pthread_mutex_lock(&queue_lock);
  pthread_mutex_unlock(&queue_lock);
  run_threads(
      [] {
        bigfoot::lard::Untracked region;
        pthread_mutex_lock(&queue_lock);
        while (!ready) pthread_cond_wait(&changed, &queue_lock);
        pthread_mutex_unlock(&queue_lock);
      },
      [] {
        bigfoot::lard::Untracked region;
        pthread_mutex_lock(&queue_lock);
        ready = true;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&queue_lock);
      });
  pthread_mutex_lock(&program_lock);
  {
    bigfoot::lard::Untracked region;
    pthread_mutex_unlock(&program_lock);
  }
  run_threads(
      [] {
        pthread_mutex_lock(&program_lock);
        shared = 1;
        pthread_mutex_unlock(&program_lock);
        script_post(0);
      },
      [] {
        script_wait(0);
        pthread_mutex_lock(&program_lock);
        shared = 2;
        pthread_mutex_unlock(&program_lock);
      });
  bf_lard_thread_destroy(green);
}
