package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.SteadyClock;

/**
 * The environment of a reflector: time, randomness, and shared limits, which tests control.
 *
 * @param clock the clock of waits, with that of the system, which changes are dated by
 * @param random randomizes waits
 * @param sleeper waits
 * @param lists a permit for each list of all reflectors at the same time, fair (list-watch.md#bo-7)
 */
public record ReflectorEnvironment(
        SteadyClock clock, RandomGenerator random, Sleeper sleeper, Semaphore lists) {}
