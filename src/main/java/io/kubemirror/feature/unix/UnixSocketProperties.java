package io.kubemirror.feature.unix;

import module java.base;

import io.kubemirror.api.server.ConnectionLimiter.AdditionalListener;
import io.kubemirror.app.config.NeedsRestart;
import io.kubemirror.model.Identity;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The Unix socket of the API.
 *
 * @param unixSocket Path of a Unix socket that serves the API without TCP, such as
 *     /run/kubemirror/api.sock. With server.port=-1 it is the only one that does.
 * @param unixSocketMode Permissions of the socket, as four octal digits. Clients need the
 *     permission to write.
 * @param unixSocketGroup Name or number of the group of the socket. Default: that of the process or
 *     of the directory.
 */
@ConfigurationProperties("kubemirror")
public record UnixSocketProperties(
        @NeedsRestart @Nullable String unixSocket,
        @NeedsRestart @DefaultValue("0660") String unixSocketMode,
        @NeedsRestart @Nullable String unixSocketGroup)
        implements AdditionalListener {

    /** The name of the property for the path. */
    static final String PATH = "kubemirror.unix-socket";

    /** The name of the property for the mode. */
    static final String MODE = PATH + "-mode";

    /** The name of the property for the group. */
    static final String GROUP = PATH + "-group";

    /** The largest path, in bytes. The kernel takes one more, but the JDK does not. */
    private static final int MAX_LENGTH = 106;

    /**
     * Rejects paths that no socket can have, and texts that are no mode.
     *
     * @throws InvalidConfigurationPropertyValueException if the path is relative or too long, or
     *     the mode is not octal
     */
    public UnixSocketProperties {
        if (!unixSocketMode.matches("0[0-7]{3}")) {
            throw invalid(
                    MODE,
                    unixSocketMode,
                    "'%s' is not a mode; use four octal digits in quotes that begin with 0, such"
                                    .formatted(unixSocketMode)
                            + " as \"0660\"");
        }
        if (unixSocket != null) {
            check(unixSocket);
        } else if (unixSocketGroup != null) {
            throw invalid(
                    GROUP,
                    unixSocketGroup,
                    "has no effect without kubemirror.unix-socket; set both, or remove it");
        }
    }

    private static void check(String path) {
        Path file = Path.of(path);
        if (!file.isAbsolute() || file.getFileName() == null) {
            throw invalid(
                    PATH,
                    path,
                    "is not an absolute path of a file; use one such as"
                            + " /run/kubemirror/api.sock");
        }
        int length = path.getBytes(StandardCharsets.UTF_8).length;
        int directory = Objects.toString(file.getParent()).getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_LENGTH || directory > MAX_LENGTH - UnixSocketConnector.STAGING) {
            throw invalid(
                    PATH,
                    path,
                    "has %d bytes, %d of them for the directory; use a path of at most %d bytes"
                                    .formatted(length, directory, MAX_LENGTH)
                            + " with a directory of at most "
                            + (MAX_LENGTH - UnixSocketConnector.STAGING));
        }
    }

    @Override
    public boolean isOn() {
        return unixSocket != null;
    }

    @Override
    public Identity client(SocketChannel channel) throws IOException {
        return PeerCredentials.of(channel);
    }

    /** Returns the mode as a number. */
    int mode() {
        return Integer.parseInt(unixSocketMode, 8);
    }

    /** Returns what ends the start because of a property. */
    static InvalidConfigurationPropertyValueException invalid(
            String property, Object value, String problemAndRemedy) {
        return new InvalidConfigurationPropertyValueException(property, value, problemAndRemedy);
    }

    /** Returns what ends the start because there cannot be a socket at the path. */
    InvalidConfigurationPropertyValueException unusable(String problemAndRemedy) {
        return invalid(PATH, Objects.requireNonNull(unixSocket), problemAndRemedy);
    }
}
