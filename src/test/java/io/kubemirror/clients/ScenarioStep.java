package io.kubemirror.clients;

import module java.base;

/**
 * The steps of the scenario, with what clients tell of them. Every client has seen the result of a
 * step before the next one begins.
 */
enum ScenarioStep {
    /** Objects exist when the clients start. */
    BEGINNING(
            namespace -> {
                namespace.create("changed");
                namespace.create("deleted");
            },
            "added changed",
            "added deleted"),

    /** Objects change while all clients watch. */
    CHANGES(
            namespace -> {
                namespace.create("added");
                namespace.change("changed", 3);
                namespace.delete("deleted");
            },
            "added added",
            "changed changed",
            "changed changed",
            "changed changed",
            "changed deleted",
            "deleted deleted"),

    /** The connections break, and objects change within the history. */
    CUT(
            namespace -> namespace.cut(() -> replace(namespace, 3, "added-in-cut", "added")),
            "added added-in-cut",
            "changed changed",
            "deleted added"),

    /** kubemirror stops, objects change, and it starts again with an empty history. */
    RESTART(
            namespace ->
                    namespace.restart(
                            () -> replace(namespace, 3, "added-in-restart", "added-in-cut")),
            "added added-in-restart",
            "changed changed",
            "deleted added-in-cut"),

    /** Objects change after the restart. */
    AFTER_RESTART(
            namespace -> replace(namespace, 1, "added-after-restart", "added-in-restart"),
            "added added-after-restart",
            "changed changed",
            "changed added-in-restart",
            "deleted added-in-restart"),

    /**
     * More changes than the history holds happen while no client watches: all revisions of clients
     * expire.
     */
    EXPIRY(
            namespace ->
                    namespace.pause(
                            () ->
                                    replace(
                                            namespace,
                                            NamespaceFixture.WINDOW,
                                            "added-meanwhile",
                                            "added-after-restart")),
            "added added-meanwhile",
            "changed changed",
            "deleted added-after-restart"),

    /** Objects change after the expiry. */
    AFTER_EXPIRY(
            namespace -> replace(namespace, 1, "added-at-last", "added-meanwhile"),
            "added added-at-last",
            "changed changed",
            "changed added-meanwhile",
            "deleted added-meanwhile");

    @SuppressWarnings("ImmutableEnumChecker") // None has a state.
    private final Consumer<NamespaceFixture> event;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable.
    private final List<String> told;

    ScenarioStep(Consumer<NamespaceFixture> event, String... told) {
        this.event = event;
        this.told = List.of(told);
    }

    /** Creates an object, changes another one some times, and deletes a third one. */
    private static void replace(
            NamespaceFixture namespace, int changes, String created, String deleted) {
        namespace.create(created);
        namespace.change("changed", changes);
        namespace.delete(deleted);
    }

    void happen(NamespaceFixture namespace) {
        event.accept(namespace);
    }

    /** Returns what clients tell of the step, in its order. */
    List<String> told() {
        return told;
    }

    /** Whether objects change while no client watches. */
    boolean isBlind() {
        return this == CUT || this == RESTART || this == EXPIRY;
    }
}
