package io.kubemirror.feature.etcd;

import io.kubemirror.kube.ClientSettings;
import io.kubemirror.model.Sleeper;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.X509TrustManager;

/**
 * The settings of the client.
 *
 * @param endpoints the URLs of the members, all with the same scheme, in the order in which this
 *     process tries them
 * @param user the user, null for none
 * @param password the password of the user
 * @param tls the certificates, requested again when they are refused; throws an {@link
 *     java.io.UncheckedIOException} if they cannot be read; null for those of the platform
 * @param collections where the objects of each type are
 * @param limits the limits of reading
 * @param ticker a monotonic clock, in nanoseconds
 * @param sleeper waits between requests for progress
 */
public record EtcdSettings(
        List<String> endpoints,
        @Nullable String user,
        PasswordSource password,
        @Nullable Supplier<TlsMaterial> tls,
        List<StoredCollection> collections,
        ClientSettings limits,
        LongSupplier ticker,
        Sleeper sleeper) {

    /** Copies the lists. */
    public EtcdSettings {
        endpoints = List.copyOf(endpoints);
        collections = List.copyOf(collections);
    }

    /** Shows neither the user nor the password. */
    @Override
    public String toString() {
        return "etcd at " + String.join(", ", endpoints);
    }

    /** Certificates for TLS. */
    public record TlsMaterial(SSLSocketFactory sockets, X509TrustManager trust) {}

    /** Supplies the password for each login, so that it may change. */
    @FunctionalInterface
    public interface PasswordSource {

        /**
         * Returns the password.
         *
         * @throws IOException if it cannot be read
         */
        String read() throws IOException;

        /** Returns the first line of a file. */
        static PasswordSource file(Path file) {
            return () -> Files.readString(file).lines().findFirst().orElse("");
        }
    }
}
