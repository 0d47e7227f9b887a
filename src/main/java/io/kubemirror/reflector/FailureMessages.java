package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Failure.Unreachable.Kind;

/**
 * What operators read about failures: one line with the cause, in the words of the server, and a
 * remedy.
 */
final class FailureMessages {

    private FailureMessages() {}

    /**
     * Returns the message about a failed request.
     *
     * @param upstream the name of the properties that lead to the server
     */
    static String failed(Failure failure, String upstream) {
        String summary = failure.summary();
        return switch (failure) {
            case Failure.Refused refused when refused.status().code() == 403 ->
                    summary
                            + "; grant kubemirror's user get, list and watch on the resource, or"
                            + " mirror only namespaces where it has them";
            case Failure.Refused refused when refused.status().code() == 401 ->
                    "%s; check the credentials that %s refers to".formatted(summary, upstream);
            case Failure.Refused refused when refused.status().code() == 400 ->
                    "%s; correct the selectors in kubemirror.resources, or the URL that %s refers to"
                            .formatted(summary, upstream);
            case Failure.Refused refused when refused.status().code() == 404 ->
                    "%s; check the path of the URL that %s refers to".formatted(summary, upstream);
            case Failure.Unreachable unreachable when unreachable.kind() == Kind.UNTRUSTED ->
                    ("%s; check the certificates that %s refers to; the CA of the server is"
                                    + " certificate-authority in a kubeconfig"
                                    + " (kubemirror.upstream.kubeconfig)")
                            .formatted(summary, upstream);
            case Failure.Unreachable _ ->
                    "%s; check that the server is running and that %s refers to it"
                            .formatted(summary, upstream);
            case Failure.Refused _, Failure.Malformed _ -> summary;
        };
    }

    /**
     * Returns the message about a type that the server does not have.
     *
     * @param similar the types with similar names, possibly none
     */
    static String missing(List<String> similar) {
        String remedy =
                similar.isEmpty()
                        ? "install it, or correct kubemirror.resources"
                        : "did you mean "
                                + String.join(" or ", similar)
                                + " in kubemirror.resources?";
        return "the server does not have this resource; " + remedy;
    }

    /** Returns the message about a collection that does not fit: how much memory it needs. */
    static String tooLarge(Excess excess) {
        String remedy =
                switch (excess.limit()) {
                    case OBJECTS -> "max-objects allows %,d; raise it".formatted(excess.allowed());
                    case BYTES -> "max-bytes allows " + megabytes(excess.allowed()) + "; raise it";
                    case SHARED ->
                            "all mirrors together may take "
                                    + megabytes(excess.allowed())
                                    + "; raise the heap (-Xmx or the container's memory) and"
                                    + " kubemirror.memory.limit if it is set";
                };
        return "%,d objects need %s so far, but %s, or mirror less by drop-fields, metadata-only, selectors, or namespaces"
                .formatted(excess.objects() + 1, megabytes(excess.bytes()), remedy);
    }

    private static String megabytes(long bytes) {
        return bytes < 1_000_000
                ? String.format(Locale.ROOT, "%,d bytes", bytes)
                : String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
    }
}
