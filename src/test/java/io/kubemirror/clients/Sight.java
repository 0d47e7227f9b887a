package io.kubemirror.clients;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BooleanSupplier;

/** What a client has told about pods, by one thread. */
final class Sight {

    private final Notes told = new Notes();
    private final Map<String, String> state = new ConcurrentSkipListMap<>();

    void added(String name, String revision) {
        state.put(name, revision);
        told.add("added " + name);
    }

    void changed(String name, String revision) {
        state.put(name, revision);
        told.add("changed " + name);
    }

    void deleted(String name) {
        state.remove(name);
        told.add("deleted " + name);
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
        return new TreeMap<>(state);
    }
}
