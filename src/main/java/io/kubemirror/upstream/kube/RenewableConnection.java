package io.kubemirror.upstream.kube;

import java.util.concurrent.locks.ReentrantLock;

/** The current connection to the API server, which can be renewed. May be used from any thread. */
final class RenewableConnection {

    private final CredentialSource source;
    private final ClientSettings settings;
    private final ReentrantLock renewing = new ReentrantLock();

    /**
     * Written under the lock. A thread that reads an outdated connection gets rejected by the
     * server and renews it.
     */
    private volatile ServerConnection connection;

    /**
     * Connects. No request is sent.
     *
     * @throws UpstreamException if the source cannot be used
     */
    RenewableConnection(CredentialSource source, ClientSettings settings) {
        this.source = source;
        this.settings = settings;
        this.connection = source.connect(settings);
    }

    /** Returns the current connection. */
    ServerConnection connection() {
        return connection;
    }

    /** Returns whether connecting again may yield different credentials. */
    boolean renews() {
        return source.renews();
    }

    /**
     * Replaces a connection that is no longer accepted. If several requests fail at the same time,
     * one of them renews the connection for all.
     *
     * @throws UpstreamException if the source cannot be used
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

    /** Describes the API server and the source of the credentials, without any secret. */
    @Override
    public String toString() {
        return connection + " (" + source + ")";
    }
}
