package io.kubemirror.kube.json;

import module java.base;

import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.exc.StreamConstraintsException;

import java.security.cert.CertificateException;

/** Classifies the exceptions of a connection and of the parser, in words without content. */
public final class TransportFailure {

    /**
     * The alerts of a server that rejects a client certificate. All other TLS failures concern the
     * connection, and different credentials cannot resolve them.
     */
    private static final Pattern REJECTION =
            Pattern.compile(
                    "fatal alert: (bad_certificate|unsupported_certificate|certificate_\\w+"
                            + "|unknown_ca|access_denied)");

    private TransportFailure() {}

    /** Returns a failure as the end of a stream. */
    public static WatchFrame.End frame(Failure failure) {
        return switch (failure) {
            case Unreachable(var reason, var kind) ->
                    new WatchFrame.Broken(
                            reason, kind == Kind.SILENT ? BrokenKind.SILENT : BrokenKind.CUT);
            case Failure.Refused refused ->
                    new WatchFrame.Broken(refused.summary(), BrokenKind.CUT);
            case Failure.Malformed(var reason) -> new WatchFrame.Untrackable(reason);
        };
    }

    /** Classifies an exception of the connection. */
    public static Failure of(IOException e) {
        if (Thread.currentThread().isInterrupted()) {
            return cut("interrupted");
        }
        return switch (e) {
            case MalformedResponseException _ -> new Failure.Malformed(reason(e));
            case ConnectException _ when causes(e).contains("Connection refused") ->
                    refused("connection refused");
            case ConnectException _, NoRouteToHostException _ -> refused(reason(e));
            case SocketTimeoutException _ when causes(e).contains("onnect timed out") ->
                    refused("connecting timed out");
            // A timeout of the socket, or Okio's deadline if it passes between two reads.
            case InterruptedIOException _ ->
                    new Unreachable("the server did not respond in time", Kind.SILENT);
            case UnknownHostException _ ->
                    refused("cannot resolve the host name " + reason(e).replaceFirst(":? .*", ""));
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
    public static Failure of(JacksonException e, boolean atEnd) {
        if (e instanceof JacksonIOException && e.getCause() instanceof IOException cause) {
            return of(cause);
        }
        if (e instanceof StreamConstraintsException) {
            // It names the length and its limit, after which comes the setting of the parser.
            return new Failure.Malformed(e.getOriginalMessage().replaceFirst(", from .*", ")"));
        }
        return atEnd
                ? cut("the response is incomplete")
                : new Failure.Malformed("the response is not valid JSON" + place(e));
    }

    private static String place(JacksonException e) {
        return e.getLocation() == null ? "" : " at byte " + e.getLocation().getByteOffset();
    }

    private static Failure cut(String reason) {
        return new Unreachable(reason, Kind.BROKEN);
    }

    private static Failure refused(String reason) {
        return new Unreachable(reason, Kind.REFUSED);
    }

    private static Failure untrusted(String reason) {
        return new Unreachable("TLS failed: " + reason, Kind.UNTRUSTED);
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

    /**
     * Signals a response that cannot be parsed. The message gives the reason and contains none of
     * the content.
     */
    public static final class MalformedResponseException extends IOException {

        private static final long serialVersionUID = 1L;

        /** Creates an exception with a reason. */
        public MalformedResponseException(String reason) {
            super(reason);
        }
    }
}
