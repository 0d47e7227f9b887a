package io.kubemirror.feature.unix;

import module java.base;

import io.kubemirror.app.config.FileFailure;

import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Serves the API on a Unix socket.
 *
 * <p>The socket is bound in a directory that only this process can enter, gets its group and its
 * mode there, and is then moved to its place in one step. So no client can connect before the mode
 * applies, whatever the umask is. A socket that a killed process has left behind is replaced; one
 * that accepts connections, and a file of another kind, end the start.
 *
 * <p>The selector accepts connections, because Jetty's connector with threads for it fails when it
 * is paused. Jetty's limit of connections therefore does not pause it: {@link ConnectionLimiter}
 * closes what is beyond the spare connections.
 */
public final class UnixSocketConnector extends UnixDomainServerConnector {

    private static final Logger log = LoggerFactory.getLogger(UnixSocketConnector.class);

    /** What the name of the socket in its temporary directory adds to that of the directory. */
    static final int STAGING = "/.18446744073709551615/s".length();

    /** The bits of a mode that tell the kind of a file, and those of a socket. */
    private static final int KIND = 0170000;

    private static final int SOCKET = 0140000;

    private final Path path;
    private final UnixSocketProperties properties;

    /** Identifies the file that this process has created; null if it has none. Guarded by this. */
    private @Nullable Object file;

    /**
     * Creates a connector that has not been started.
     *
     * @param properties a socket that is on
     */
    UnixSocketConnector(
            Server server, UnixSocketProperties properties, ConnectionFactory... factories) {
        super(server, 0, -1, factories);
        this.properties = properties;
        this.path = Path.of(Objects.requireNonNull(properties.unixSocket()));
    }

    /**
     * Creates the socket.
     *
     * @throws InvalidConfigurationPropertyValueException if the socket cannot be created there
     */
    @Override
    protected void doStart() throws Exception {
        checkPlace();
        if (isLive()) {
            throw properties.unusable(
                    "is the socket of a process that runs; stop that process, or use another path");
        }
        Path staging = stagingDirectory();
        Path socket = staging.resolve("s");
        try {
            setUnixDomainPath(socket);
            super.doStart();
            protect(socket);
            place(socket);
        } finally {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(staging);
        }
        log.info("Listening on {} with mode {}", path, properties.unixSocketMode());
    }

    private Path stagingDirectory() {
        Path directory = directory();
        try {
            return Files.createTempDirectory(directory, ".");
        } catch (IOException refused) {
            throw properties.unusable(
                    "cannot be created: %s; let user %s write to %s, or use another directory"
                            .formatted(
                                    FileFailure.reason(refused),
                                    System.getProperty("user.name"),
                                    directory));
        }
    }

    /**
     * Refuses a place where no socket can be, before anything has started.
     *
     * @throws InvalidConfigurationPropertyValueException if there is another file, or no directory
     */
    void checkPlace() {
        if (!Files.exists(directory())) {
            throw properties.unusable(
                    "is in a directory that does not exist; create %s, or mount a volume there"
                            .formatted(directory()));
        }
        try {
            Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if (((int) mode & KIND) != SOCKET) {
                throw properties.unusable(
                        "exists and is not a socket; remove it, or use another path");
            }
        } catch (IOException _) {
            // There is no file, as after a regular end.
        }
    }

    private Path directory() {
        return Objects.requireNonNull(path.getParent());
    }

    /** Whether a process listens, or may listen: only a refusal tells that none does. */
    private boolean isLive() {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // Would otherwise wait for a process that is too busy to accept connections.
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException refused) {
            return false;
        } catch (IOException unknown) {
            return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private void protect(Path socket) throws IOException {
        String group = properties.unixSocketGroup();
        if (group != null) {
            setGroup(socket, group);
        }
        Files.setAttribute(socket, "unix:mode", properties.mode());
    }

    private static void setGroup(Path socket, String group) {
        try {
            UserPrincipalLookupService names =
                    socket.getFileSystem().getUserPrincipalLookupService();
            Files.setAttribute(socket, "posix:group", names.lookupPrincipalByGroupName(group));
        } catch (UserPrincipalNotFoundException unknown) {
            throw UnixSocketProperties.invalid(
                    UnixSocketProperties.GROUP,
                    group,
                    "is not a group here; use a number such as 65532, or remove it");
        } catch (IOException refused) {
            throw UnixSocketProperties.invalid(
                    UnixSocketProperties.GROUP,
                    group,
                    "cannot be set: %s; run kubemirror as a member of the group, or remove it"
                            .formatted(FileFailure.reason(refused)));
        }
    }

    private synchronized void place(Path socket) throws IOException {
        Files.move(socket, path, StandardCopyOption.ATOMIC_MOVE);
        file = key();
    }

    private @Nullable Object key() throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Removes the file first, so that clients see at once that no process accepts connections. */
    @Override
    public CompletableFuture<Void> shutdown() {
        withdraw();
        return super.shutdown();
    }

    /** Does nothing if the start has failed before there was a socket. */
    @Override
    protected void doStop() throws Exception {
        withdraw();
        if (getTransport() != null) {
            super.doStop();
        }
    }

    /** Removes the file, unless another process has replaced it. */
    private synchronized void withdraw() {
        try {
            if (file != null && file.equals(key())) {
                Files.delete(path);
            }
        } catch (IOException gone) {
            log.debug("{} is gone: {}", path, gone.toString());
        } finally {
            file = null;
        }
    }
}
