package io.kubemirror.history;

/**
 * How often a replica had synchronized mirrors of a type again.
 *
 * @param from when it was asked, by {@link System#nanoTime}
 * @param until when it had answered
 * @param replica the replica
 * @param life the number of its process
 * @param resource the plural of the type
 * @param resyncs the number
 */
record Sample(long from, long until, String replica, int life, String resource, long resyncs) {}
