package io.kubemirror.clients;

/** What happens in a story; what was there before has been seen by all, and so is what follows. */
enum ScenarioStep {
    /** There is something when the clients come. */
    BEGINNING {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.create("changed");
            namespaceFixture.create("deleted");
        }
    },
    /** Things change while all are watching. */
    CHANGES {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.create("added");
            namespaceFixture.change("changed", 3);
            namespaceFixture.delete("deleted");
        }
    },
    /** The connections break, and things change within what kubemirror remembers. */
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
    /** kubemirror goes, things change, and it comes back without a memory. */
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
    /** Life goes on after it. */
    AFTER_RESTART {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.create("added-after-restart");
            namespaceFixture.change("changed", 1);
            namespaceFixture.delete("added-in-restart");
        }
    },
    /** More changes than kubemirror remembers while nobody watches: all cursors expire. */
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
    /** Life goes on after it. */
    AFTER_EXPIRY {
        @Override
        void happen(NamespaceFixture namespaceFixture) {
            namespaceFixture.create("added-at-last");
            namespaceFixture.change("changed", 1);
            namespaceFixture.delete("added-meanwhile");
        }
    };

    abstract void happen(NamespaceFixture namespaceFixture);

    /** Whether something changes while nobody watches. */
    boolean isBlind() {
        return this == CUT || this == RESTART || this == EXPIRY;
    }
}
