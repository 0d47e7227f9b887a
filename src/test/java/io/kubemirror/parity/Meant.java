package io.kubemirror.parity;

import java.util.Map;

/** The differences that are meant, each with its reason. */
final class Meant {

    private static final Map<String, String> STATUS =
            Map.of(
                    "content-type", "application/json",
                    "cache-control", "no-cache, private");

    private Meant() {}

    /** Nothing can be written (PA-14). */
    static Difference readOnly() {
        return new Difference.Rewritten(
                "kubemirror is read-only, and says so with `Allow`",
                genuine ->
                        status(
                                        405,
                                        "MethodNotAllowed",
                                        "the server does not allow this method on the requested"
                                                + " resource",
                                        "{}")
                                .withHeader("allow", "GET"));
    }

    /** Heads are refused like all that is no GET; the API server does so for built-in types. */
    static Difference noHead() {
        return new Difference.Rewritten(
                "`HEAD` is refused for all types, and the answer says so with `Allow`",
                genuine -> genuine.withCode(405).withHeader("allow", "GET"));
    }

    /** All answers say that they must not be stored (EN-11, PA-19c). */
    static Difference neverStored() {
        return new Difference.Rewritten(
                "the answer to what is no HTTP forbids caches too",
                genuine -> genuine.withHeader("cache-control", "no-cache, private"));
    }

    /** What a full kube-apiserver answers, where the server of the test ground knows less. */
    static Difference fullServer(String refusal) {
        return new Difference.Rewritten(FULL, genuine -> status(400, "BadRequest", refusal, ""));
    }

    /** What a full kube-apiserver answers, where the server of the test ground knows less. */
    static Difference fullServer(Request other) {
        return new Difference.AsTo(FULL, other);
    }

    private static final String FULL =
            "as a full kube-apiserver answers; that of the tests knows other field labels";

    /** The words in which a parser of JSON complains are its own (CO-9). */
    static Difference wording(String genuine, String ours) {
        return new Difference.Rewritten(
                "the message ends in the words of the JSON parser, which are others",
                answer -> answer.withBody(body -> body.replace(genuine, ours)));
    }

    /** What exists on the server and is not mirrored is not there (PA-13, PA-15). */
    static Difference unserved(String reason) {
        return new Difference.Rewritten(reason, genuine -> noSuchResource());
    }

    /** Where the server's answer to such paths is plain text, kubemirror's is a Status (PA-13). */
    static Difference statusForText() {
        return unserved("a 404 is a Status everywhere below `/api` and `/apis`");
    }

    private static Answer noSuchResource() {
        return status(404, "NotFound", "the server could not find the requested resource", "{}");
    }

    /** Protobuf and YAML are not served: the answer is that to JSON (NE-4, NE-6). */
    static Difference jsonOf(Request other) {
        return new Difference.AsTo("JSON is the only encoding that is served", other);
    }

    /** Revisions that are no numbers (DE-5, WA-20). */
    static Difference badRevision(String value) {
        return new Difference.Rewritten(
                "a mistake of the client is a 400, where the API server answers 500",
                genuine ->
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

    /** A watch without any time ends with an error (WA-27). */
    static Difference timedOut() {
        String frame =
                "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                        + "\"metadata\":{},\"status\":\"Failure\",\"message\":\"context deadline"
                        + " exceeded\",\"reason\":\"InternalError\",\"code\":500}}\n";
        return new Difference.Steady(
                "the API server sometimes ends such a watch without its error",
                new Answer(200, STATUS, frame, true));
    }

    /** The mirror remembers no state from before its start (LI-21, LI-23). */
    static Difference forgotten() {
        return new Difference.Rewritten(
                "the mirror knows no state from before its start, the API server asks etcd",
                genuine ->
                        status(
                                410,
                                "Expired",
                                "The resourceVersion for the provided list is too old.",
                                ""));
    }

    /** An answer that is a failure. */
    static Answer status(int code, String reason, String message, String details) {
        String body =
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                        + "\"message\":\"%s\",\"reason\":\"%s\",%s\"code\":%d}\n"
                                .formatted(
                                        message,
                                        reason,
                                        details.isEmpty() ? "" : "\"details\":" + details + ",",
                                        code);
        return new Answer(code, STATUS, body, true);
    }
}
