package io.kubemirror.reflector;

/**
 * How a reflector fetches the present state of a collection. Each strategy decides from what is
 * known about the server.
 */
public enum Strategy {
    /**
     * A watch that begins with the present state, or a paged list if the server refuses that; with
     * the watch beside it after a list took longer than the server keeps revisions.
     */
    AUTO {
        @Override
        boolean streams(ServerCapabilities server) {
            return server.mayStream();
        }

        @Override
        boolean overlaps(ServerCapabilities server) {
            return server.doListsExpire();
        }
    },

    /** A watch that begins with the present state and continues with the changes. */
    WATCH_LIST {
        @Override
        boolean streams(ServerCapabilities server) {
            return true;
        }

        @Override
        boolean lists() {
            return false;
        }
    },

    /** A list in pages, then a watch from the list's revision. */
    LIST_WATCH,

    /**
     * A paged list with the watch already running beside it: for collections so large that the
     * revision of the list would expire before the list ends.
     */
    LIST_WATCH_PARALLEL {
        @Override
        boolean overlaps(ServerCapabilities server) {
            return true;
        }
    };

    /**
     * Returns whether to request the present state as the initial events of a watch, whose end is a
     * bookmark.
     */
    boolean streams(ServerCapabilities server) {
        return false;
    }

    /** Returns whether a list may replace a watch-list. */
    boolean lists() {
        return true;
    }

    /** Returns whether the watch must run while the pages of a list are fetched. */
    boolean overlaps(ServerCapabilities server) {
        return false;
    }
}
