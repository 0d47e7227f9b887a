package io.kubemirror.api.http;

import io.kubemirror.access.AccessDecision;
import io.kubemirror.model.GoString;
import io.kubemirror.model.Intent;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.model.Status.Cause;
import io.kubemirror.model.Status.Details;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The errors of the API server, word for word (list-watch.md#errors); each method names its row.
 */
public final class StatusErrors {

    /** The longest name of a host that there is. */
    private static final int LONGEST_HOST = 253;

    private StatusErrors() {}

    /** There is no such object (list-watch.md#errors). */
    public static Status notFound(ResourceType type, String name) {
        return new Status(
                404,
                "NotFound",
                type.groupResource() + " " + GoString.quote(name) + " not found",
                new Details(name, type.group(), type.plural(), List.of(), 0));
    }

    /** There is no such resource (list-watch.md#errors). */
    public static Status noSuchResource() {
        return new Status(
                404, "NotFound", "the server could not find the requested resource", Details.EMPTY);
    }

    /** The resource can only be read (list-watch.md#errors). */
    public static Status methodNotAllowed() {
        return new Status(
                405,
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource",
                Details.EMPTY);
    }

    /** The client wants a form that is not offered (list-watch.md#errors). */
    static Status notAcceptable(String offered) {
        return new Status(
                406,
                "NotAcceptable",
                "only the following media types are accepted: " + offered,
                null);
    }

    /** The client names no form that is known at all (list-watch.md#errors). */
    static Status notRoutable(String offered) {
        return new Status(
                406,
                "NotAcceptable",
                "406: Not Acceptable\n\nAvailable representations: " + offered,
                Details.EMPTY);
    }

    /** The client wants one object as a list, or a list as one object (list-watch.md#ne-31). */
    public static Status otherNumber(ResponseShape wanted, boolean list, String goType) {
        return new Status(
                406,
                "NotAcceptable",
                "you requested "
                        + wanted.kind()
                        + ", but the requested object is "
                        + (list ? "a list (" : "not a list (")
                        + goType
                        + ")",
                null);
    }

    /** The client wants whole objects where there is only their metadata. */
    public static Status onlyMetadata(ResourceType type, ResponseShape metadata) {
        return new Status(
                406,
                "NotAcceptable",
                "kubemirror holds only the metadata of "
                        + type.groupResource()
                        + " (kubemirror.resources[].metadata-only); accept"
                        + " application/json;as="
                        + metadata.kind()
                        + ";g=meta.k8s.io;v=v1, a Table without whole objects, or */*",
                null);
    }

    /** The request cannot be understood (list-watch.md#errors). */
    public static Status badRequest(String message) {
        return new Status(400, "BadRequest", message, null);
    }

    /**
     * The request line and the headers are too large.
     *
     * @param bound how large they may be together, in bytes
     */
    public static Status tooLargeHeader(int code, int bound) {
        return new Status(
                code,
                "RequestEntityTooLarge",
                "the request line and the headers are larger than " + bound + " bytes",
                null);
    }

    /** Requests, connections and answers of clients have taken all memory that is for them. */
    public static Status outOfMemory() {
        return new Status(
                429,
                "TooManyRequests",
                "kubemirror has no memory left for more clients, please try again later; the"
                        + " limit is kubemirror.memory",
                Details.retryAfter(1));
    }

    /** No object and no namespace can have a name that is so long. */
    public static Status impossibleName(int longest) {
        return new Status(
                404,
                "NotFound",
                "no object has a name or namespace of more than " + longest + " characters",
                Details.EMPTY);
    }

    /** The framework refuses by a code of its own. */
    public static Status notServed(int code) {
        String reason =
                switch (code) {
                    case 406 -> "NotAcceptable";
                    case 413 -> "RequestEntityTooLarge";
                    case 415 -> "UnsupportedMediaType";
                    default -> "BadRequest";
                };
        return new Status(code, reason, "the request cannot be answered as it is", null);
    }

    /** The options cannot be combined (list-watch.md#errors). */
    static Status invalidOptions(List<Cause> causes) {
        String errors =
                causes.stream()
                        .map(cause -> cause.field() + ": " + cause.message())
                        .collect(Collectors.joining(", "));
        return new Status(
                422,
                "Invalid",
                "ListOptions.meta.k8s.io \"\" is invalid: "
                        + (causes.size() == 1 ? errors : "[" + errors + "]"),
                new Details("", "meta.k8s.io", "ListOptions", causes, 0));
    }

    /** The request reaches outside what is mirrored (list-watch.md#ca-7, #st-5). */
    public static Status forbidden(ResourceType type, String name, String why) {
        return new Status(
                403,
                "Forbidden",
                type.groupResource()
                        + (name.isEmpty() ? "" : " " + GoString.quote(name))
                        + " is forbidden: "
                        + why,
                new Details(name, type.group(), type.plural(), List.of(), 0));
    }

    /** Nobody knows who asks (list-watch.md#st-5). */
    public static Status unauthorized() {
        return new Status(401, "Unauthorized", "Unauthorized", null);
    }

    /** Who asks may not (list-watch.md#st-5). */
    public static Status forbidden(AccessDecision.Forbidden verdict) {
        String why =
                sanitized(
                        "User "
                                + GoString.quote(verdict.identity().name())
                                + " "
                                + verdict.intent().lack());
        String reason = verdict.reason().isEmpty() ? why : why + ": " + verdict.reason();
        return switch (verdict.intent()) {
            case Intent.OnPath _ -> forbidden(reason);
            case Intent.OnResource wanted -> forbidden(wanted, reason);
        };
    }

    private static Status forbidden(Intent.OnResource wanted, String why) {
        String resource =
                wanted.group().isEmpty() ? wanted.plural() : wanted.plural() + "." + wanted.group();
        String name = wanted.name().isEmpty() ? "" : " " + GoString.quote(wanted.name());
        return new Status(
                403,
                "Forbidden",
                (resource.isEmpty() ? "forbidden: " : resource + name + " is forbidden: ") + why,
                new Details(wanted.name(), wanted.group(), wanted.plural(), List.of(), 0));
    }

    private static String sanitized(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /**
     * Whether the request may be answered cannot be found out now.
     *
     * @param why what happened, in one line without credentials
     */
    public static Status accessUnknown(String why) {
        return new Status(
                503,
                "ServiceUnavailable",
                "access cannot be reviewed: " + why,
                Details.retryAfter(1));
    }

    /** The client wants to be somebody else, which only the API server can decide. */
    public static Status noImpersonation() {
        return badRequest("kubemirror impersonates nobody");
    }

    /**
     * The request has come under a name that is none of kubemirror's.
     *
     * @param host the name, as it was sent
     */
    public static Status foreignHost(String host) {
        String told = host.length() > LONGEST_HOST ? host.substring(0, LONGEST_HOST) + "..." : host;
        return forbidden(
                "kubemirror is not known as "
                        + GoString.quote(told)
                        + "; ask it by another name or add this one to kubemirror.allowed-hosts");
    }

    /** A web page asks for what is none of its own. */
    public static Status foreignPage() {
        return forbidden("web pages of other sites may not read kubemirror");
    }

    /** Not for everybody who can reach the port. */
    public static Status onlyFromLoopback() {
        return forbidden("without credentials this is told on loopback only");
    }

    /** Not for the sender, whatever the path may be (list-watch.md#st-5). */
    private static Status forbidden(String why) {
        return new Status(403, "Forbidden", "forbidden: " + why, Details.EMPTY);
    }

    /** A namespace is asked for by its name, and namespaces are not mirrored. */
    public static Status namespacesNotMirrored() {
        return new Status(
                403,
                "Forbidden",
                "namespaces is forbidden: kubemirror does not mirror namespaces",
                new Details("", "", "namespaces", List.of(), 0));
    }

    /** A watch cannot start from so long ago, or its reader was too slow (list-watch.md#errors). */
    public static Status expiredWatch(Revision requested, Revision floor) {
        return new Status(
                410,
                "Expired",
                "too old resource version: " + requested + " (" + floor + ")",
                null);
    }

    /** A list of so long ago cannot be made (list-watch.md#errors). */
    public static Status expiredList() {
        return new Status(
                410, "Expired", "The resourceVersion for the provided list is too old.", null);
    }

    /**
     * A page of so long ago cannot be made (list-watch.md#errors).
     *
     * @param token a token that goes on with the present state instead
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

    /** The mirror has not come as far as the client demands (list-watch.md#errors). */
    public static Status tooLargeRevision(Revision requested, Revision current) {
        Cause cause = new Cause("ResourceVersionTooLarge", "Too large resource version", "");
        return new Status(
                504,
                "Timeout",
                "Timeout: Too large resource version: " + requested + ", current: " + current,
                new Details("", "", "", List.of(cause), 1));
    }

    /**
     * The mirror has no complete state yet (list-watch.md#errors).
     *
     * @param problem what keeps it, in one line, empty if nothing is known to
     * @param retryAfterSeconds when to try again
     */
    public static Status initializing(String problem, int retryAfterSeconds) {
        return new Status(
                429,
                "TooManyRequests",
                "storage is (re)initializing" + (problem.isEmpty() ? "" : ": " + problem),
                Details.retryAfter(retryAfterSeconds));
    }

    /**
     * What is known is older than allowed (list-watch.md#fr-5).
     *
     * @param why how old it is, and how old it may be
     */
    public static Status tooOld(String why) {
        return new Status(429, "TooManyRequests", why, Details.retryAfter(1));
    }

    /** So much is asked of the API server on behalf of clients that one more has to wait. */
    public static Status tooManyProxied() {
        return new Status(
                429,
                "TooManyRequests",
                "too many requests are being passed on to the API server, please try again later",
                Details.retryAfter(1));
    }

    /** The mirror is behind what clients have been shown already (list-watch.md#fr-4). */
    public static Status behindServed(Revision shown, Revision current) {
        return new Status(
                429,
                "TooManyRequests",
                "the mirror is at "
                        + current
                        + " and the API server has answered at "
                        + shown
                        + " already, please try again later",
                Details.retryAfter(1));
    }

    /**
     * The API server was to be asked and has not answered.
     *
     * @param why what happened, in one line without credentials
     */
    public static Status unavailable(String why) {
        return new Status(
                503,
                "ServiceUnavailable",
                "the API server does not answer: " + why,
                Details.retryAfter(1));
    }

    /**
     * There are as many connections as there may be.
     *
     * @param who who has so many, with its verb
     * @param property what sets the limit
     */
    public static Status tooManyConnections(String who, String property) {
        return new Status(
                429,
                "TooManyRequests",
                who + " as many connections as " + property + " allows, please try again later",
                Details.retryAfter(1));
    }

    /** The process is about to end (list-watch.md#errors). */
    static Status shuttingDown() {
        return new Status(
                429,
                "TooManyRequests",
                "The apiserver is shutting down, please try again later.",
                Details.retryAfter(5));
    }

    /**
     * Something is wrong with this program (list-watch.md#errors); what it was stands in the log.
     */
    public static Status internal(String message) {
        return new Status(500, "InternalError", "Internal error occurred: " + message, null);
    }

    /** A watch whose time was over before it began (list-watch.md#wa-27). */
    public static Status deadlineExceeded() {
        return new Status(500, "InternalError", "context deadline exceeded", null);
    }
}
