package io.kubemirror.clients;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** What a client has told about pods. */
final class ReportedPods {

    /** Also guards the state, so that whoever is woken by an event sees both. */
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

    /** Waits until something holds, looking whenever something is told; tells whether it does. */
    boolean await(BooleanSupplier holds) {
        return told.await(_ -> holds.getAsBoolean());
    }

    /** What was told so far, in this order. */
    List<String> told() {
        return told.all();
    }

    /** The pods that are there if what was told is true, with their revisions. */
    Map<String, String> state() {
        synchronized (told) {
            return new TreeMap<>(state);
        }
    }
}
