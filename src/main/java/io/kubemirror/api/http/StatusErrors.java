package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.model.GoString;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.model.Status.Cause;
import io.kubemirror.model.Status.Details;

import org.jspecify.annotations.Nullable;

/**
 * Creates the errors of the API server with its exact messages (list-watch.md#errors). Each method
 * names its row.
 */
public final class StatusErrors {

    /** The maximum length of a host name. */
    private static final int MAX_HOST_LENGTH = 253;

    private StatusErrors() {}

    /** The object does not exist (list-watch.md#errors). */
    public static Status notFound(ResourceType type, String name) {
        return status(
                404,
                type.groupResource() + " " + GoString.quote(name) + " not found",
                new Details(name, type.group(), type.plural(), List.of(), 0));
    }

    /** The resource does not exist (list-watch.md#errors). */
    public static Status noSuchResource() {
        return status(404, "the server could not find the requested resource", Details.EMPTY);
    }

    /** The resource is not mirrored. The message begins with that of the API server. */
    public static Status notMirrored(String why) {
        return status(404, noSuchResource().message() + ": " + why, Details.EMPTY);
    }

    /**
     * Only the API server answers the request (list-watch.md#pa-14, #pa-15).
     *
     * @param what what kubemirror is or does instead
     */
    public static Status notPassedOn(String what) {
        String remedy =
                "; send the request to the API server, or set kubemirror.pass-through.mode to have"
                        + " it passed on";
        Status status = methodNotAllowed();
        return status(405, status.message() + ": kubemirror " + what + remedy, Details.EMPTY);
    }

    /** The resource is read-only (list-watch.md#errors). */
    public static Status methodNotAllowed() {
        return status(
                405,
                "the server does not allow this method on the requested resource",
                Details.EMPTY);
    }

    /** No form that the client accepts is supported (list-watch.md#errors). */
    static Status notAcceptable(String offered) {
        return status(406, "only the following media types are accepted: " + offered, null);
    }

    /** The client accepts no known media type (list-watch.md#errors). */
    static Status notRoutable(String offered) {
        return status(
                406, "406: Not Acceptable\n\nAvailable representations: " + offered, Details.EMPTY);
    }

    /** The client requests one object as a list, or a list as one object (list-watch.md#ne-31). */
    public static Status otherNumber(ResponseShape wanted, boolean list, String goType) {
        return status(
                406,
                "you requested %s, but the requested object is %s (%s)"
                        .formatted(wanted.kind(), list ? "a list" : "not a list", goType),
                null);
    }

    /** The client requests complete objects, but only their metadata is mirrored. */
    public static Status onlyMetadata(ResourceType type, ResponseShape metadata) {
        return status(
                406,
                ("kubemirror mirrors only the metadata of %s"
                     + " (kubemirror.resources[].metadata-only); accept"
                     + " application/json;as=%s;g=meta.k8s.io;v=v1, a Table without whole objects,"
                     + " or */*")
                        .formatted(type.groupResource(), metadata.kind()),
                null);
    }

    /** The request is malformed (list-watch.md#errors). */
    public static Status badRequest(String message) {
        return status(400, message, null);
    }

    /** The memory budget for requests, connections, and responses of clients is exhausted. */
    public static Status outOfMemory() {
        return tooManyRequests(
                "kubemirror has no memory for further clients, please try again later; see"
                        + " kubemirror.memory",
                1);
    }

    /** The options cannot be combined (list-watch.md#errors). */
    static Status invalidOptions(List<Cause> causes) {
        String errors =
                causes.stream()
                        .map(cause -> cause.field() + ": " + cause.message())
                        .collect(Collectors.joining(", "));
        return status(
                422,
                "ListOptions.meta.k8s.io \"\" is invalid: "
                        + (causes.size() == 1 ? errors : "[" + errors + "]"),
                new Details("", "meta.k8s.io", "ListOptions", causes, 0));
    }

    /** The request is outside of the mirrored scope (list-watch.md#ca-7, #st-5). */
    public static Status forbidden(ResourceType type, String name, String why) {
        return forbidden(type.group(), type.plural(), name, why);
    }

    /** The request is not authenticated (list-watch.md#st-5). */
    public static Status unauthorized() {
        return status(401, "Unauthorized", null);
    }

    /** The client is not authorized (list-watch.md#st-5). */
    public static Status forbidden(AccessDecision.Forbidden verdict) {
        Permission permission = verdict.permission();
        String why =
                "User %s %s"
                        .formatted(
                                GoString.quote(verdict.identity().name()),
                                permission.denialMessage())
                        .replace("&", "&amp;")
                        .replace("<", "&lt;")
                        .replace(">", "&gt;");
        return forbidden(
                permission, verdict.reason().isEmpty() ? why : why + ": " + verdict.reason());
    }

    /** The operation is not permitted (list-watch.md#st-5). */
    public static Status forbidden(Permission permission, String why) {
        return switch (permission) {
            case Permission.OnPath _ -> forbidden(why);
            case Permission.OnResource wanted ->
                    forbidden(wanted.group(), wanted.plural(), wanted.name(), why);
        };
    }

    private static Status forbidden(String group, String plural, String name, String why) {
        String resource = group.isEmpty() ? plural : plural + "." + group;
        String object = name.isEmpty() ? "" : " " + GoString.quote(name);
        return status(
                403,
                (resource.isEmpty() ? "forbidden: " : resource + object + " is forbidden: ") + why,
                new Details(name, group, plural, List.of(), 0));
    }

    /**
     * The authorization cannot be determined at present.
     *
     * @param why the cause, on one line and without credentials
     */
    public static Status accessUnknown(String why) {
        return status(503, "cannot review access: " + why, Details.retryAfter(1));
    }

    /**
     * The {@code Host} header does not name kubemirror.
     *
     * @param host the host name, as it was sent
     */
    public static Status foreignHost(String host) {
        String shown =
                host.length() > MAX_HOST_LENGTH ? host.substring(0, MAX_HOST_LENGTH) + "..." : host;
        return forbidden(
                "kubemirror does not accept the host name "
                        + GoString.quote(shown)
                        + "; use another host name or add this one to kubemirror.allowed-hosts");
    }

    /** A web page of another origin sent the request, or one that can have an effect. */
    public static Status foreignPage() {
        return forbidden("kubemirror does not allow this request of a web page");
    }

    /** The endpoint is available on loopback only. */
    public static Status onlyFromLoopback() {
        return forbidden("this endpoint is available on loopback only");
    }

    /** The client is not authorized, whatever the path (list-watch.md#st-5). */
    public static Status forbidden(String why) {
        return status(403, "forbidden: " + why, Details.EMPTY);
    }

    /** The request is for a namespace by name, and namespaces are not mirrored. */
    public static Status namespacesNotMirrored() {
        return forbidden("", "namespaces", "", "kubemirror does not mirror namespaces");
    }

    /**
     * A watch cannot start at an expired revision, or its client was too slow
     * (list-watch.md#errors).
     */
    public static Status expiredWatch(Revision requested, Revision floor) {
        return status(410, "too old resource version: " + requested + " (" + floor + ")", null);
    }

    /** A list cannot be read at an expired revision (list-watch.md#errors). */
    public static Status expiredList() {
        return status(410, "The resourceVersion for the provided list is too old.", null);
    }

    /**
     * A page cannot be read at an expired revision (list-watch.md#errors).
     *
     * @param token a token that continues with the current state instead
     */
    public static Status expiredContinue(String token) {
        return new Status(
                410,
                "Expired",
                "The provided continue parameter is too old to display a consistent list result."
                        + " You can start a new list without the continue parameter, or use the"
                        + " continue token in this response to retrieve the remainder of the"
                        + " results. Continuing with the provided token results in an inconsistent"
                        + " list - objects that were created, modified, or deleted between the time"
                        + " the first chunk was returned and now may show up in the list.",
                null,
                token);
    }

    /** The mirror has not reached the requested revision (list-watch.md#errors). */
    public static Status tooLargeRevision(Revision requested, Revision current) {
        Cause cause = new Cause("ResourceVersionTooLarge", "Too large resource version", "");
        return status(
                504,
                "Timeout: Too large resource version: " + requested + ", current: " + current,
                new Details("", "", "", List.of(cause), 1));
    }

    /**
     * The mirror has no complete state yet (list-watch.md#errors).
     *
     * @param problem the known cause, on one line, or empty
     * @param retryAfterSeconds when to retry
     */
    public static Status initializing(String problem, int retryAfterSeconds) {
        return tooManyRequests(
                "storage is (re)initializing" + (problem.isEmpty() ? "" : ": " + problem),
                retryAfterSeconds);
    }

    /**
     * The mirror is staler than allowed (list-watch.md#fr-5).
     *
     * @param why the staleness and its limit
     */
    public static Status tooOld(String why) {
        return tooManyRequests(why, 1);
    }

    /**
     * The mirror is behind a revision that clients have already seen, or behind a write
     * (list-watch.md#fr-4, #ry-3).
     */
    public static Status behindClients() {
        return tooManyRequests(
                "the mirror is behind what clients have already seen, please try again later", 1);
    }

    /**
     * The API server is required for the request and has not responded.
     *
     * @param why the cause, on one line and without credentials
     */
    public static Status unavailable(String why) {
        return status(503, "the API server is unavailable: " + why, Details.retryAfter(1));
    }

    private static Status status(int code, String message, @Nullable Details details) {
        String reason = code == 410 ? "Expired" : Status.reason(code);
        return new Status(code, reason, message, details);
    }

    private static Status tooManyRequests(String message, int retryAfterSeconds) {
        return status(429, message, Details.retryAfter(retryAfterSeconds));
    }

    /** The process is shutting down (list-watch.md#errors). */
    static Status shuttingDown() {
        return tooManyRequests("The apiserver is shutting down, please try again later.", 5);
    }

    /** A list has more values than one answer may read (list-watch.md#or-11). */
    public static Status tooManyValues(String path, int objects, int characters) {
        return status(
                413,
                ("kubemirror reads %s of at most %d objects, and at most %d characters of it:"
                                + " select fewer objects")
                        .formatted(path, objects, characters),
                null);
    }

    /** An internal error (list-watch.md#errors). Its cause is in the log. */
    public static Status internal(String message) {
        return status(500, "Internal error occurred: " + message, null);
    }

    /** The timeout of the watch passed before it began (list-watch.md#wa-27). */
    public static Status deadlineExceeded() {
        return status(500, "context deadline exceeded", null);
    }
}
