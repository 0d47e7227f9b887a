package io.kubemirror.upstream.kube;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The connection to the API server as it is now, and how to make it anew; may be used from any
 * thread.
 */
final class RenewableConnection {

    private final CredentialSource source;
    private final ClientSettings settings;
    private final ReentrantLock renewing = new ReentrantLock();

    /** Written under the lock; whoever reads an old one is told so by its answers and renews. */
    private volatile ServerConnection connection;

    /**
     * Connects; no request is sent.
     *
     * @throws UpstreamException if that cannot work
     */
    RenewableConnection(CredentialSource source, ClientSettings settings) {
        this.source = source;
        this.settings = settings;
        this.connection = source.connect(settings);
    }

    /** The connection to send requests by. */
    ServerConnection connection() {
        return connection;
    }

    /** Whether connecting again may bring other credentials. */
    boolean renews() {
        return source.renews();
    }

    /**
     * Another connection than one that is not accepted any more. Several requests may fail at the
     * same time; one of them renews for all.
     *
     * @throws UpstreamException if that cannot work
     */
    ServerConnection renew(ServerConnection stale) {
        renewing.lock();
        try {
            if (connection == stale) {
                connection = source.connect(settings);
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
        return connection + " (" + source + ")";
    }
}
