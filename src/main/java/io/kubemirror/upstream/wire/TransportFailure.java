package io.kubemirror.upstream.wire;

import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.Failure.Unreachable;
import io.kubemirror.upstream.WatchFrame;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.exc.StreamConstraintsException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.regex.Pattern;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * A failure while waiting for or reading a response, in readable words.
 *
 * @param reason one line without credentials and content
 * @param kind the kind of the failure
 */
public record TransportFailure(String reason, FailureKind kind) {

    /**
     * The alerts of a server that rejects a client certificate. All other TLS failures concern the
     * connection, and different credentials cannot resolve them.
     */
    private static final Pattern REJECTION =
            Pattern.compile(
                    "fatal alert: (bad_certificate|unsupported_certificate|certificate_\\w+"
                            + "|unknown_ca|access_denied)");

    /** The kinds of failures that are handled differently. */
    public enum FailureKind {
        /** No connection was established, so the server never received the request. */
        REFUSED,
        /** One side does not trust the certificate of the other. */
        UNTRUSTED,
        /** The connection broke, or the response ended too early. */
        CUT,
        /** No byte arrived within the time limit. */
        SILENT,
        /** The bytes cannot be parsed. */
        MALFORMED
    }

    /** Returns this failure as the result of a request. */
    public Failure failure() {
        return switch (kind) {
            case REFUSED -> new Failure.Unreachable(reason, Unreachable.Kind.REFUSED);
            case UNTRUSTED -> new Failure.Unreachable(reason, Unreachable.Kind.UNTRUSTED);
            case CUT, SILENT -> new Failure.Unreachable(reason, Unreachable.Kind.BROKEN);
            case MALFORMED -> new Failure.Malformed(reason);
        };
    }

    /** Returns this failure as the end of a stream. */
    public WatchFrame.Broken frame() {
        return new WatchFrame.Broken(
                reason,
                switch (kind) {
                    case REFUSED, UNTRUSTED, CUT -> WatchFrame.Broken.BrokenKind.CUT;
                    case SILENT -> WatchFrame.Broken.BrokenKind.SILENT;
                    case MALFORMED -> WatchFrame.Broken.BrokenKind.MALFORMED;
                });
    }

    /** Classifies an exception of the connection. */
    public static TransportFailure of(IOException e) {
        if (Thread.currentThread().isInterrupted()) {
            return cut("interrupted");
        }
        return switch (e) {
            case MalformedResponseException _ ->
                    new TransportFailure(reason(e), FailureKind.MALFORMED);
            case ConnectException _ when causes(e).contains("Connection refused") ->
                    refused("connection refused");
            case ConnectException _, NoRouteToHostException _ -> refused(reason(e));
            case SocketTimeoutException _ when causes(e).contains("onnect timed out") ->
                    refused("connecting timed out");
            // A timeout of the socket, or Okio's deadline if it passes between two reads.
            case InterruptedIOException _ ->
                    new TransportFailure("the server did not respond in time", FailureKind.SILENT);
            case UnknownHostException _ -> refused("cannot resolve the host name");
            case SSLPeerUnverifiedException _ ->
                    untrusted("the server's certificate is for another host name");
            case SSLException _ when has(e, CertificateException.class) ->
                    untrusted("the server's certificate is not trusted by the configured CA");
            case SSLException _ when REJECTION.matcher(causes(e)).find() -> untrusted(reason(e));
            case SSLException _ -> cut("TLS failed: " + reason(e));
            default -> cut(reason(e));
        };
    }

    /**
     * Classifies an exception of the parser.
     *
     * @param atEnd whether the stream has ended; malformed content is then only truncated
     */
    public static TransportFailure of(JacksonException e, boolean atEnd) {
        if (e instanceof JacksonIOException && e.getCause() instanceof IOException cause) {
            return of(cause);
        }
        if (e instanceof StreamConstraintsException) {
            return new TransportFailure(
                    "a resource version or another string in the response is too long",
                    FailureKind.MALFORMED);
        }
        return atEnd
                ? cut("the response is incomplete")
                : new TransportFailure(
                        "the response is not valid JSON" + place(e), FailureKind.MALFORMED);
    }

    private static String place(JacksonException e) {
        return e.getLocation() == null ? "" : " at byte " + e.getLocation().getByteOffset();
    }

    private static TransportFailure cut(String reason) {
        return new TransportFailure(reason, FailureKind.CUT);
    }

    private static TransportFailure refused(String reason) {
        return new TransportFailure(reason, FailureKind.REFUSED);
    }

    private static TransportFailure untrusted(String reason) {
        return new TransportFailure("TLS failed: " + reason, FailureKind.UNTRUSTED);
    }

    private static String causes(Throwable e) {
        Throwable cause = e.getCause();
        return e.getMessage() + (cause == null ? "" : " " + causes(cause));
    }

    private static boolean has(Throwable e, Class<? extends Throwable> type) {
        Throwable cause = e.getCause();
        return cause != null && (type.isInstance(cause) || has(cause, type));
    }

    private static String reason(IOException e) {
        String message = e.getMessage();
        return message == null
                ? e.getClass().getSimpleName()
                : message.lines().findFirst().orElse("");
    }
}
