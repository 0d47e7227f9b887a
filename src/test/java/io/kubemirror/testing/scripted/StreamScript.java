package io.kubemirror.testing.scripted;

import module java.base;

/**
 * The steps of a watch stream after a number of frames, before anything else is sent.
 *
 * @param afterFrames the number of frames, 0 for right after the headers
 * @param steps what happens then, in order
 */
record StreamScript(int afterFrames, List<OpenWatch.Step> steps) {

    static final StreamScript NOTHING = new StreamScript(0, List.of());

    StreamScript {
        steps = List.copyOf(steps);
    }

    /** Inserts the steps that are due before everything that is queued. */
    void apply(BlockingDeque<OpenWatch.Step> queue, int framesWritten) {
        if (framesWritten == afterFrames) {
            steps.reversed().forEach(queue::addFirst);
        }
    }
}
