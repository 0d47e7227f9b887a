package io.kubemirror.parity;

import module java.base;

/** The intended differences with their reasons. */
final class IntendedDifferences {

    private static final Map<String, String> STATUS =
            Map.of(
                    "content-type", "application/json",
                    "cache-control", "no-cache, private");

    private static final String FULL =
            "kubemirror answers like a complete kube-apiserver, which the tests do not start";

    private static final String COLUMNS =
            "the tables have the columns of a complete kube-apiserver";

    private static final String UNCOMPRESSED = "the API server compresses watch-lists since 1.37";

    private static final String CLIENT_ERROR =
            "an error of the client is a 400, where the API server answers 500";

    /**
     * What kubemirror refuses in other words or where the API server does not: the code and the
     * reason of the Status, whether it has details, why, and the message.
     */
    private static final Map<String, String[]> REFUSALS =
            """
            # Nothing can be written (list-watch.md#pa-14).
            read-only | 405 MethodNotAllowed {} | kubemirror is read-only, and sends `Allow` | NO_METHOD: kubemirror is read-only; PASS_ON
            no-method | 405 MethodNotAllowed {} | `OPTIONS` and `TRACE` are rejected, and `Allow` is sent | NO_METHOD
            # Subresources that exist (list-watch.md#pa-15), and those that no custom resource can have (list-watch.md#pa-19).
            subresource | 405 MethodNotAllowed {} | subresources are not served | NO_METHOD: kubemirror serves no subresources; PASS_ON
            no-subresource | 404 NotFound {} | the API server says that the object is not found, which a controller would take for a deletion | NOT_FOUND
            # Resources that are not mirrored are not found (list-watch.md#pa-13, #pa-15).
            unserved | 404 NotFound {} | ABOUT | NOT_FOUND
            not-mirrored | 404 NotFound {} | the error names the type and what is mirrored | NOT_FOUND: kubemirror does not mirror MIRRORED; add it to kubemirror.resources, or set kubemirror.pass-through.mode to have the API server answer
            # Where the API server of the tests lacks a feature.
            full-server | 400 BadRequest | FULL | ABOUT
            # Other media types alone (list-watch.md#ne-6), KEP-5958 (list-watch.md#ne-34), an object as a list (list-watch.md#ne-31).
            refused | 406 NotAcceptable | only JSON is served | only the following media types are accepted: TYPES
            duplicate-field | 406 NotAcceptable | a field that `drop` names twice is a mistake (KEP-5958) | only the following media types are accepted: TYPES
            other-number | 406 NotAcceptable | an error of the client is a 406, where the API server answers 500 | you requested PartialObjectMetadataList, but the requested object is not a list (*unstructured.Unstructured)
            # Invalid revisions (list-watch.md#de-4), and malformed shard selectors (list-watch.md#sh-5).
            bad-revision | 400 BadRequest | CLIENT_ERROR | invalid resource version: resourceVersion: Invalid value: \\"ABOUT\\": strconv.ParseUint: parsing \\"ABOUT\\": invalid syntax
            bad-shard | 400 BadRequest | a mistake in a shard selector is a 400 with an example | invalid shard selector: only shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000'), object.metadata.namespace, bounds of 16 lowercase hexadecimal digits, and || are supported
            # The mirror has no history from before its start (list-watch.md#li-21, #li-23).
            forgotten | 410 Expired | the mirror has no state from before its start; the API server reads etcd | The resourceVersion for the provided list is too old.
            """
                    .lines()
                    .filter(row -> !row.startsWith("#"))
                    .map(row -> row.split(" \\| ", -1))
                    .collect(Collectors.toMap(cells -> cells[0], cells -> cells));

    /** A watch without any time ends with an error (list-watch.md#wa-27). */
    private static final String TIMED_OUT =
            """
            {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},\
            "status":"Failure","message":"context deadline exceeded","reason":"InternalError",\
            "code":500}}
            """;

    private IntendedDifferences() {}

    /**
     * Returns the difference that a table names.
     *
     * @param text its name, and what it is about
     * @param target what is requested
     */
    static Difference of(String text, String target) {
        String[] parts = text.split(" ", 2);
        String about = parts.length > 1 ? parts[1] : "";
        String[] refusal = REFUSALS.get(parts[0]);
        if (refusal != null) {
            return refused(refusal, about, target);
        }
        return switch (parts[0]) {
            // The answer to another request, whose target comes first, for a reason of its own.
            case "answered-like" -> {
                String[] words = about.split(" ", 2);
                yield new Difference.AnsweredLike(words[1], RawRequest.get(words[0]));
            }
            case "full-server-like" -> new Difference.AnsweredLike(FULL, RawRequest.get(about));
            // Protobuf and YAML are not served (list-watch.md#ne-4, #ne-6).
            case "json-of" ->
                    new Difference.AnsweredLike("only JSON is served", RawRequest.get(target));
            case "discovery" -> DiscoveryProjection.difference();
            case "columns" ->
                    new Difference.ExceptFor(
                            COLUMNS, body -> ColumnFilter.normalized(body, Set.of("Name", "Age")));
            // KEP-5958 (list-watch.md#ne-34). No managed fields of the cases contain a bracket.
            case "without-managed-fields" ->
                    new Difference.ExceptFor(
                            "kubemirror knows `drop=metadata.managedFields` (KEP-5958), whatever"
                                    + " the version of the server",
                            body -> body.replaceAll(",\"managedFields\":\\[[^\\]]*\\]", ""));
            case "timed-out" ->
                    new Difference.Steady(
                            "the API server sometimes ends such a watch without the error",
                            new ObservedResponse(200, STATUS, TIMED_OUT, true));
            default -> changed(parts[0], about, target);
        };
    }

    /** An answer of the server that is changed a little. */
    private static Difference changed(String name, String about, String target) {
        return switch (name) {
            // HEAD is refused like every method except GET, as by the server for built-in types.
            case "no-head" ->
                    new Difference.Rewritten(
                            "`HEAD` is rejected for all types, with `Allow`",
                            original -> original.withCode(405).withHeader("allow", "GET"));
            // All answers say that they must not be stored (list-watch.md#en-11, #pa-19c).
            case "never-stored" ->
                    new Difference.Rewritten(
                            "the answer to malformed HTTP forbids caching, too",
                            original -> original.withHeader("cache-control", "no-cache, private"));
            case "unwarned" ->
                    new Difference.Rewritten(
                            "warnings of the API server are not repeated",
                            original -> original.withHeader("warning", ""));
            // They are sequences of gzip members at the API server (list-watch.md#en-9).
            case "uncompressed" ->
                    new Difference.Rewritten(
                            UNCOMPRESSED,
                            original ->
                                    original.withHeader("content-encoding", "")
                                            .withHeader("vary", ""));
            // It names the package of the internal Go type.
            case "go-type" -> replaced(FULL, "(*v1.", "(*" + about + ".");
            // list-watch.md#co-9
            case "wording" -> {
                String[] words = about.split(" => ", 2);
                yield replaced(
                        "the end of the message comes from another JSON parser",
                        words[0],
                        words[1]);
            }
            // list-watch.md#en-6
            case "empty-items" ->
                    replaced(
                            "an empty list is `[]`, which every client can read, not `null`",
                            "\"items\":null",
                            "\"items\":[]");
            // Shards of two fields, or without objects (list-watch.md#sh-5).
            case "bad-shard-range" ->
                    new Difference.Rewritten(
                            CLIENT_ERROR,
                            original ->
                                    original.withCode(400)
                                            .withBody(
                                                    body ->
                                                            body.replace(
                                                                    "\"code\":500",
                                                                    "\"reason\":\"BadRequest\",\"code\":400")));
            // Fewer media types; watches are served as events for browsers, too (#ne-6).
            case "offered" ->
                    new Difference.Rewritten(
                            "the error names the media types that kubemirror serves",
                            original -> original.withBody(body -> offered(body, target)));
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static Difference replaced(String reason, String from, String to) {
        return new Difference.Rewritten(
                reason, original -> original.withBody(body -> body.replace(from, to)));
    }

    private static String offered(String body, String target) {
        return body.replace(
                        "application/json, application/yaml, application/vnd.kubernetes.protobuf",
                        types(target))
                .replace(", application/vnd.kubernetes.protobuf;stream=watch", "");
    }

    private static String types(String target) {
        return target.contains("watch=1")
                ? "application/json, text/event-stream"
                : "application/json";
    }

    private static Difference refused(String[] cells, String about, String target) {
        String[] status = cells[1].split(" ", -1);
        String message = filled(cells[3], about, target);
        ObservedResponse answer =
                status[0].equals("406")
                        ? notAcceptable(message)
                        : status(
                                Integer.parseInt(status[0]),
                                status[1],
                                message,
                                status.length > 2 ? "\"details\":{}," : "");
        boolean allows = List.of("read-only", "no-method").contains(cells[0]);
        return new Difference.Rewritten(
                filled(cells[2], about, target),
                _ -> allows ? answer.withHeader("allow", "GET") : answer);
    }

    private static String filled(String text, String about, String target) {
        return text.replace(
                        "NO_METHOD",
                        "the server does not allow this method on the requested resource")
                .replace("NOT_FOUND", "the server could not find the requested resource")
                .replace(
                        "PASS_ON",
                        "send the request to the API server, or set kubemirror.pass-through.mode"
                                + " to have it passed on")
                .replace("FULL", FULL)
                .replace("CLIENT_ERROR", CLIENT_ERROR)
                .replace("TYPES", types(target))
                .replace("MIRRORED", notMirrored(about))
                .replace("ABOUT", about);
    }

    /** A type, and what is mirrored, unless a table says what is mirrored instead. */
    private static String notMirrored(String nameAndBut) {
        String[] parts = nameAndBut.split(" but ", 2);
        int shown = 8;
        String mirrored =
                String.join(", ", ParityObjects.MIRRORED.stream().limit(shown).toList())
                        + ", and "
                        + (ParityObjects.MIRRORED.size() - shown)
                        + " more";
        return parts[0] + " (but " + (parts.length > 1 ? parts[1] : mirrored) + ")";
    }

    /**
     * Whether kubemirror differs from a server.
     *
     * @param whole whether it is a complete kube-apiserver
     * @param minor its version
     */
    static boolean appliesTo(Difference difference, boolean whole, int minor) {
        return switch (difference.reason()) {
            case FULL, COLUMNS -> !whole;
            case UNCOMPRESSED -> minor >= 37;
            default -> true;
        };
    }

    /** Indented, as errors are for clients that accept no JSON (list-watch.md#st-3). */
    private static ObservedResponse notAcceptable(String message) {
        String body =
                """
                {
                  "kind": "Status",
                  "apiVersion": "v1",
                  "metadata": {},
                  "status": "Failure",
                  "message": "%s",
                  "reason": "NotAcceptable",
                  "code": 406
                }\
                """
                        .formatted(message);
        return new ObservedResponse(406, STATUS, body, true);
    }

    private static ObservedResponse status(
            int code, String reason, String message, String details) {
        String body =
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                        + "\"message\":\"%s\",\"reason\":\"%s\",%s\"code\":%d}\n"
                                .formatted(message, reason, details, code);
        return new ObservedResponse(code, STATUS, body, true);
    }
}
