package io.kubemirror.parity;

import module java.base;

/** The intended differences with their reasons. */
final class IntendedDifferences {

    private static final Map<String, String> STATUS =
            Map.of(
                    "content-type", "application/json",
                    "cache-control", "no-cache, private");

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
        return switch (parts[0]) {
            case "answered-like" -> answeredLike(about);
            case "bad-revision" -> badRevision(about);
            case "bad-shard" -> badShard();
            case "bad-shard-range" -> badShardRange();
            case "columns" -> columns();
            case "discovery" -> DiscoveryProjection.difference();
            case "duplicate-field" -> duplicateField(target);
            case "empty-items" -> emptyItems();
            case "forgotten" -> forgotten();
            case "full-server" -> fullServer(about);
            case "full-server-like" -> fullServer(RawRequest.get(about));
            case "go-type" -> goType(about);
            case "json-of" -> jsonOf(RawRequest.get(target));
            case "never-stored" -> neverStored();
            case "no-head" -> noHead();
            case "no-method" -> noMethod();
            case "no-subresource" -> noSubresource();
            case "not-mirrored" -> notMirrored(about);
            case "offered" -> offered(target);
            case "other-number" -> otherNumber();
            case "read-only" -> readOnly();
            case "refused" -> refused(target);
            case "subresource" -> subresource();
            case "timed-out" -> timedOut();
            case "uncompressed" -> uncompressed();
            case "unserved" -> unserved(about);
            case "without-managed-fields" -> withoutManagedFields();
            case "wording" -> wording(about);
            default -> throw new IllegalArgumentException(text);
        };
    }

    /** The answer to another request, whose target comes first, for a reason of its own. */
    private static Difference answeredLike(String targetAndReason) {
        String[] parts = targetAndReason.split(" ", 2);
        return new Difference.AnsweredLike(parts[1], RawRequest.get(parts[0]));
    }

    /** What is mirrored, unless a table says what is mirrored instead. */
    private static Difference notMirrored(String nameAndBut) {
        String[] parts = nameAndBut.split(" but ", 2);
        return notMirrored(parts[0], parts.length > 1 ? parts[1] : mirrored());
    }

    private static String mirrored() {
        int shown = 8;
        return String.join(", ", ParityObjects.MIRRORED.stream().limit(shown).toList())
                + ", and "
                + (ParityObjects.MIRRORED.size() - shown)
                + " more";
    }

    private static Difference wording(String originalAndOurs) {
        String[] parts = originalAndOurs.split(" => ", 2);
        return wording(parts[0], parts[1]);
    }

    /** Nothing can be written (list-watch.md#pa-14). */
    static Difference readOnly() {
        return new Difference.Rewritten(
                "kubemirror is read-only, and sends `Allow`",
                original ->
                        status(405, "MethodNotAllowed", notPassedOn("is read-only"), "{}")
                                .withHeader("allow", "GET"));
    }

    /** Methods that are refused whatever is passed on. */
    static Difference noMethod() {
        return new Difference.Rewritten(
                "`OPTIONS` and `TRACE` are rejected, and `Allow` is sent",
                original ->
                        status(
                                        405,
                                        "MethodNotAllowed",
                                        "the server does not allow this method on the requested"
                                                + " resource",
                                        "{}")
                                .withHeader("allow", "GET"));
    }

    /** HEAD is refused like every method except GET. The API server does so for built-in types. */
    static Difference noHead() {
        return new Difference.Rewritten(
                "`HEAD` is rejected for all types, with `Allow`",
                original -> original.withCode(405).withHeader("allow", "GET"));
    }

    /** All answers say that they must not be stored (list-watch.md#en-11, #pa-19c). */
    static Difference neverStored() {
        return new Difference.Rewritten(
                "the answer to malformed HTTP forbids caching, too",
                original -> original.withHeader("cache-control", "no-cache, private"));
    }

    /** The response of a complete kube-apiserver, where that of the tests lacks a feature. */
    static Difference fullServer(String refusal) {
        return new Difference.Rewritten(FULL, original -> status(400, "BadRequest", refusal, ""));
    }

    /** The response of a complete kube-apiserver, where that of the tests lacks a feature. */
    static Difference fullServer(RawRequest other) {
        return new Difference.AnsweredLike(FULL, other);
    }

    /** The error of a complete kube-apiserver, which names the package of the internal Go type. */
    private static Difference goType(String name) {
        return new Difference.Rewritten(
                FULL,
                original -> original.withBody(body -> body.replace("(*v1.", "(*" + name + ".")));
    }

    private static final String FULL =
            "kubemirror answers like a complete kube-apiserver, which the tests do not start";

    private static final String COLUMNS =
            "the tables have the columns of a complete kube-apiserver";

    private static final String UNCOMPRESSED = "the API server compresses watch-lists since 1.37";

    /** Watch-lists are sequences of gzip members at the API server (list-watch.md#en-9). */
    private static Difference uncompressed() {
        return new Difference.Rewritten(
                UNCOMPRESSED,
                original -> original.withHeader("content-encoding", "").withHeader("vary", ""));
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

    /** The two JSON parsers have different error messages (list-watch.md#co-9). */
    static Difference wording(String original, String ours) {
        return new Difference.Rewritten(
                "the end of the message comes from another JSON parser",
                answer -> answer.withBody(body -> body.replace(original, ours)));
    }

    /** Resources that are not mirrored are not found (list-watch.md#pa-13, #pa-15). */
    static Difference unserved(String reason) {
        return new Difference.Rewritten(reason, original -> noSuchResource());
    }

    /** Subresources that exist (list-watch.md#pa-15). */
    static Difference subresource() {
        return new Difference.Rewritten(
                "subresources are not served",
                original ->
                        status(
                                405,
                                "MethodNotAllowed",
                                notPassedOn("serves no subresources"),
                                "{}"));
    }

    /** Subresources that no custom resource can have (list-watch.md#pa-19). */
    static Difference noSubresource() {
        return unserved(
                "the API server says that the object is not found, which a controller would take"
                        + " for a deletion");
    }

    /**
     * The error about a type that is not mirrored says so (list-watch.md#pa-13).
     *
     * @param name the type, as the configuration would name it
     * @param but what is mirrored
     */
    static Difference notMirrored(String name, String but) {
        return new Difference.Rewritten(
                "the error names the type and what is mirrored",
                original ->
                        status(
                                404,
                                "NotFound",
                                "the server could not find the requested resource: kubemirror does"
                                        + " not mirror "
                                        + name
                                        + " (but "
                                        + but
                                        + "); add it to kubemirror.resources, or set"
                                        + " kubemirror.pass-through.mode to have the API server"
                                        + " answer",
                                "{}"));
    }

    private static String notPassedOn(String what) {
        return "the server does not allow this method on the requested resource: kubemirror "
                + what
                + "; send the request to the API server, or set kubemirror.pass-through.mode to"
                + " have it passed on";
    }

    private static ObservedResponse noSuchResource() {
        return status(404, "NotFound", "the server could not find the requested resource", "{}");
    }

    /** Protobuf and YAML are not served: the answer is that to JSON (list-watch.md#ne-4, #ne-6). */
    static Difference jsonOf(RawRequest other) {
        return new Difference.AnsweredLike("only JSON is served", other);
    }

    /**
     * kubemirror serves fewer media types (list-watch.md#ne-6).
     *
     * @param target what is asked for; watches are served as events for browsers, too
     */
    static Difference offered(String target) {
        return new Difference.Rewritten(
                "the error names the media types that kubemirror serves",
                original -> original.withBody(body -> offered(body, types(target))));
    }

    private static String offered(String body, String types) {
        return body.replace(
                        "application/json, application/yaml, application/vnd.kubernetes.protobuf",
                        types)
                .replace(", application/vnd.kubernetes.protobuf;stream=watch", "");
    }

    /** Other media types alone are refused (list-watch.md#ne-6). */
    static Difference refused(String target) {
        return new Difference.Rewritten(
                "only JSON is served",
                original ->
                        notAcceptable(
                                "only the following media types are accepted: " + types(target)));
    }

    /** KEP-5958 (list-watch.md#ne-34). No managed fields of the cases contain a bracket. */
    static Difference withoutManagedFields() {
        return new Difference.ExceptFor(
                "kubemirror knows `drop=metadata.managedFields` (KEP-5958), whatever the version of"
                        + " the server",
                body -> body.replaceAll(",\"managedFields\":\\[[^\\]]*\\]", ""));
    }

    /** KEP-5958 (list-watch.md#ne-34). */
    static Difference duplicateField(String target) {
        return new Difference.Rewritten(
                "a field that `drop` names twice is a mistake (KEP-5958)",
                original ->
                        notAcceptable(
                                "only the following media types are accepted: " + types(target)));
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

    private static String types(String target) {
        return target.contains("watch=1")
                ? "application/json, text/event-stream"
                : "application/json";
    }

    /** A request for one object as a list is invalid (list-watch.md#ne-31). */
    static Difference otherNumber() {
        return new Difference.Rewritten(
                "an error of the client is a 406, where the API server answers 500",
                original ->
                        notAcceptable(
                                "you requested PartialObjectMetadataList, but the requested object"
                                        + " is not a list (*unstructured.Unstructured)"));
    }

    /** An empty list has an empty array of items (list-watch.md#en-6). */
    static Difference emptyItems() {
        return new Difference.Rewritten(
                "an empty list is `[]`, which every client can read, not `null`",
                original ->
                        original.withBody(body -> body.replace("\"items\":null", "\"items\":[]")));
    }

    /** Tables of the types that kubectl has columns of its own for. */
    static Difference columns() {
        return new Difference.ExceptFor(
                COLUMNS, body -> ColumnFilter.normalized(body, Set.of("Name", "Age")));
    }

    /** Invalid revisions (list-watch.md#de-4). */
    static Difference badRevision(String value) {
        return new Difference.Rewritten(
                "an error of the client is a 400, where the API server answers 500",
                original ->
                        status(
                                400,
                                "BadRequest",
                                "invalid resource version: resourceVersion: Invalid value: \\\""
                                        + value
                                        + "\\\": strconv.ParseUint: parsing \\\""
                                        + value
                                        + "\\\": invalid syntax",
                                ""));
    }

    /** Shards of two fields, or without objects (list-watch.md#sh-5). */
    static Difference badShardRange() {
        return new Difference.Rewritten(
                "an error of the client is a 400, where the API server answers 500",
                original ->
                        original.withCode(400)
                                .withBody(
                                        body ->
                                                body.replace(
                                                        "\"code\":500",
                                                        "\"reason\":\"BadRequest\",\"code\":400")));
    }

    /** Malformed shard selectors (list-watch.md#sh-5). */
    static Difference badShard() {
        return new Difference.Rewritten(
                "a mistake in a shard selector is a 400 with an example",
                original ->
                        status(
                                400,
                                "BadRequest",
                                "invalid shard selector: only shardRange(object.metadata.uid,"
                                        + " '0x0000000000000000', '0x8000000000000000'),"
                                        + " object.metadata.namespace, bounds of 16 lowercase"
                                        + " hexadecimal digits, and || are supported",
                                ""));
    }

    /** A watch without any time ends with an error (list-watch.md#wa-27). */
    static Difference timedOut() {
        String frame =
                "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                        + "\"metadata\":{},\"status\":\"Failure\",\"message\":\"context deadline"
                        + " exceeded\",\"reason\":\"InternalError\",\"code\":500}}\n";
        return new Difference.Steady(
                "the API server sometimes ends such a watch without the error",
                new ObservedResponse(200, STATUS, frame, true));
    }

    /** The mirror has no history from before its start (list-watch.md#li-21, #li-23). */
    static Difference forgotten() {
        return new Difference.Rewritten(
                "the mirror has no state from before its start; the API server reads etcd",
                original ->
                        status(
                                410,
                                "Expired",
                                "The resourceVersion for the provided list is too old.",
                                ""));
    }

    /** An answer that is a failure. */
    static ObservedResponse status(int code, String reason, String message, String details) {
        String body =
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                        + "\"message\":\"%s\",\"reason\":\"%s\",%s\"code\":%d}\n"
                                .formatted(
                                        message,
                                        reason,
                                        details.isEmpty() ? "" : "\"details\":" + details + ",",
                                        code);
        return new ObservedResponse(code, STATUS, body, true);
    }
}
