package io.kubemirror.clients;

/**
 * The steps of the scenario. Every client has seen the result of a step before the next one begins.
 */
enum ScenarioStep {
    /** Objects exist when the clients start. */
    BEGINNING {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.create("changed");
            namespaceFixture.create("deleted");
        }
    },
    /** Objects change while all clients watch. */
    CHANGES {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.create("added");
            namespaceFixture.change("changed", 3);
            namespaceFixture.delete("deleted");
        }
    },
    /** The connections break, and objects change within the history. */
    CUT {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.cut(
                    () -> {
                        namespaceFixture.create("added-in-cut");
                        namespaceFixture.change("changed", 3);
                        namespaceFixture.delete("added");
                    });
        }
    },
    /** kubemirror stops, objects change, and it starts again with an empty history. */
    RESTART {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.restart(
                    () -> {
                        namespaceFixture.create("added-in-restart");
                        namespaceFixture.change("changed", 3);
                        namespaceFixture.delete("added-in-cut");
                    });
        }
    },
    /** Objects change after the restart. */
    AFTER_RESTART {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.create("added-after-restart");
            namespaceFixture.change("changed", 1);
            namespaceFixture.delete("added-in-restart");
        }
    },
    /**
     * More changes than the history holds happen while no client watches: all revisions of clients
     * expire.
     */
    EXPIRY {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.pause(
                    () -> {
                        namespaceFixture.create("added-meanwhile");
                        namespaceFixture.change("changed", NamespaceFixture.WINDOW);
                        namespaceFixture.delete("added-after-restart");
                    });
        }
    },
    /** Objects change after the expiry. */
    AFTER_EXPIRY {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.create("added-at-last");
            namespaceFixture.change("changed", 1);
            namespaceFixture.delete("added-meanwhile");
        }
    };

    abstract void happen(NamespaceFixture namespaceFixture);

    /** Whether objects change while no client watches. */
    boolean isBlind() {
        return this == CUT || this == RESTART || this == EXPIRY;
    }
}
