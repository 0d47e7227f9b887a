package io.kubemirror.reflector;

import io.kubemirror.kube.KubeApi;
import io.kubemirror.mirror.MirrorWriter;

/** Keeps one mirror true: list, watch, and again. */
public final class Reflector implements AutoCloseable {

    private final ReflectorCounts counts = new ReflectorCounts();

    /**
     * A reflector that has not started.
     *
     * @param api the API server
     * @param writer the writer of the mirror
     * @param settings how to reflect
     * @param surroundings clock, randomness and sleep
     */
    public Reflector(
            KubeApi api,
            MirrorWriter writer,
            ReflectorSettings settings,
            Surroundings surroundings) {}

    /** Starts reflecting on a virtual thread of its own. */
    public void start() {}

    /** What has been counted since the start. */
    public ReflectorCounts counts() {
        return counts;
    }

    /** Stops reflecting, and waits until the thread has ended. */
    @Override
    public void close() {}
}
