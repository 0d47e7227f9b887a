package io.kubemirror.mirror;

/** A reader of everything. */
final class UnfilteredReader extends SleepingReader {

    UnfilteredReader() {
        super(new Interest.Everything());
    }
}
