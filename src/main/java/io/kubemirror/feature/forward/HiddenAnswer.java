package io.kubemirror.feature.forward;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.read.DocumentFilter;
import io.kubemirror.feature.forward.PassedExchange.AnswerRewriter;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a write of a resource with hidden fields, with the identity of kubemirror: it shows
 * of the object what the mirror shows (list-watch.md#ca-4c).
 *
 * @param filter removes what is hidden
 */
record HiddenAnswer(DocumentFilter filter) implements AnswerRewriter {

    /** Subresources besides connections whose answers have nothing of the object. */
    private static final Set<String> UNRELATED = Set.of("binding", "eviction", "token");

    /** Subresources whose answers are the object. */
    private static final Set<String> OBJECT =
            Set.of("", "approval", "ephemeralcontainers", "finalize", "resize", "status");

    private static final Set<String> MERGES =
            Set.of(
                    "application/merge-patch+json",
                    "application/strategic-merge-patch+json",
                    "application/apply-patch+yaml",
                    "application/apply-patch+cbor");

    private static final Set<Verb> READS = Set.of(Verb.GET, Verb.LIST, Verb.WATCH, Verb.HEAD);

    private static final String UNSHOWN =
            "kubemirror hides fields of this resource, and cannot show a part of the answer";

    /** Returns whether the answer to a request has nothing of an object. */
    static boolean isUnrelated(Permission.OnResource wanted) {
        String subresource = wanted.subresource().split("/", 2)[0];
        return PassThrough.CONNECTIONS.contains(subresource) || UNRELATED.contains(subresource);
    }

    /**
     * Returns why a request cannot be passed on, empty if it can.
     *
     * @param mirrored whether it names the version that is mirrored
     * @param query its parameters
     * @param type the media type of its body
     */
    String objection(
            Permission.OnResource wanted, boolean mirrored, Query query, @Nullable String type) {
        if (READS.contains(wanted.verb())) {
            return "kubemirror hides fields of %s, and the API server would show them"
                    .formatted(wanted.plural());
        }
        if (wanted.verb() == Verb.PATCH && !isMerge(type)) {
            return "kubemirror hides fields of %s, which a patch of this type can copy or compare"
                    .formatted(wanted.plural());
        }
        if (!query.text("fieldSelector").isEmpty()) {
            return "kubemirror hides fields of %s, which a field selector can compare"
                    .formatted(wanted.plural());
        }
        boolean known = mirrored && OBJECT.contains(wanted.subresource());
        return known || !filter.hidesContent()
                ? ""
                : ("kubemirror hides fields of %s, and knows them only in the mirrored version of"
                                + " the object itself")
                        .formatted(wanted.plural());
    }

    /** Returns whether a patch only has values of the client. A JSON patch refers to others. */
    private static boolean isMerge(@Nullable String type) {
        return type != null && MERGES.contains(type.split(";", 2)[0].strip());
    }

    @Override
    public Optional<Reply> of(int code, String type, byte @Nullable [] document) {
        return Optional.of(
                Optional.ofNullable(document)
                        .flatMap(code < 300 ? filter::shown : filter::refusal)
                        .map(shown -> reply(code, shown))
                        .orElseGet(() -> unshown(code)));
    }

    private static Reply reply(int code, byte[] document) {
        return new Reply(code, ResponseDocument.JSON, Map.of(), document);
    }

    /** The API server has done what the code says, whatever its answer looks like. */
    private static Reply unshown(int code) {
        return code < 300
                ? reply(
                        code,
                        """
                        {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",\
                        "message":"%s","code":%d}
                        """
                                .formatted(UNSHOWN, code)
                                .getBytes(UTF_8))
                : Reply.of(new Status(code, Status.reason(code), UNSHOWN, Status.Details.EMPTY));
    }
}
