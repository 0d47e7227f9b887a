package io.kubemirror.kube;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The connection to the API server as it is now, and how to make it anew; may be used from any
 * thread.
 */
final class Link {

    private final Origin origin;
    private final ClientSettings settings;
    private final ReentrantLock renewing = new ReentrantLock();

    /** Written under the lock; whoever reads an old one is told so by its answers and renews. */
    private volatile Connection connection;

    /**
     * Connects; no request is sent.
     *
     * @throws UpstreamException if that cannot work
     */
    Link(Origin origin, ClientSettings settings) {
        this.origin = origin;
        this.settings = settings;
        this.connection = origin.connect(settings);
    }

    /** The connection to send requests by. */
    Connection connection() {
        return connection;
    }

    /** Whether connecting again may bring other credentials. */
    boolean renews() {
        return origin.renews();
    }

    /**
     * Another connection than one that is not accepted any more. Several requests may fail at the
     * same time; one of them renews for all.
     *
     * @throws UpstreamException if that cannot work
     */
    Connection renewed(Connection stale) {
        renewing.lock();
        try {
            if (connection == stale) {
                connection = origin.connect(settings);
                stale.retire();
            }
            return connection;
        } finally {
            renewing.unlock();
        }
    }

    /** The API server and the credentials' origin, without any secret. */
    @Override
    public String toString() {
        return connection + " (" + origin + ")";
    }
}
