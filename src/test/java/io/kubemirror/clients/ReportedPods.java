package io.kubemirror.clients;

import module java.base;

/** The events about pods that a client has reported. */
final class ReportedPods {

    /** Also guards the state, so that a thread that an event signals sees both. */
    private final OutputLines told = new OutputLines();

    private final Map<String, String> state = new TreeMap<>();

    void added(String name, String revision) {
        synchronized (told) {
            state.put(name, revision);
            told.add("added " + name);
        }
    }

    void changed(String name, String revision) {
        synchronized (told) {
            state.put(name, revision);
            told.add("changed " + name);
        }
    }

    void deleted(String name) {
        synchronized (told) {
            state.remove(name);
            told.add("deleted " + name);
        }
    }

    /** Waits until a condition is true, and returns whether it is. Evaluated after each event. */
    boolean await(BooleanSupplier holds) {
        return told.await(_ -> holds.getAsBoolean());
    }

    /** Returns the reported events in order. */
    List<String> told() {
        return told.all();
    }

    /** Returns the pods that follow from the reported events, with their revisions. */
    Map<String, String> state() {
        synchronized (told) {
            return new TreeMap<>(state);
        }
    }
}
