package io.kubemirror.clients;

/** What happens in a story; what was there before has been seen by all, and so is what follows. */
enum Chapter {
    /** There is something when the clients come. */
    BEGINNING {
        @Override
        void happen(Site site) {
            site.create("changed");
            site.create("deleted");
        }
    },
    /** Things change while all are watching. */
    CHANGES {
        @Override
        void happen(Site site) {
            site.create("added");
            site.change("changed", 3);
            site.delete("deleted");
        }
    },
    /** The connections break, and things change within what kubemirror remembers. */
    CUT {
        @Override
        void happen(Site site) {
            site.cut(
                    () -> {
                        site.create("added-in-cut");
                        site.change("changed", 3);
                        site.delete("added");
                    });
        }
    },
    /** kubemirror goes, things change, and it comes back without a memory. */
    RESTART {
        @Override
        void happen(Site site) {
            site.restart(
                    () -> {
                        site.create("added-in-restart");
                        site.change("changed", 3);
                        site.delete("added-in-cut");
                    });
        }
    },
    /** Life goes on after it. */
    AFTER_RESTART {
        @Override
        void happen(Site site) {
            site.create("added-after-restart");
            site.change("changed", 1);
            site.delete("added-in-restart");
        }
    },
    /** More changes than kubemirror remembers while nobody watches: all cursors expire. */
    EXPIRY {
        @Override
        void happen(Site site) {
            site.pause(
                    () -> {
                        site.create("added-meanwhile");
                        site.change("changed", Site.WINDOW);
                        site.delete("added-after-restart");
                    });
        }
    },
    /** Life goes on after it. */
    AFTER_EXPIRY {
        @Override
        void happen(Site site) {
            site.create("added-at-last");
            site.change("changed", 1);
            site.delete("added-meanwhile");
        }
    };

    abstract void happen(Site site);

    /** Whether something changes while nobody watches. */
    boolean isBlind() {
        return this == CUT || this == RESTART || this == EXPIRY;
    }
}
