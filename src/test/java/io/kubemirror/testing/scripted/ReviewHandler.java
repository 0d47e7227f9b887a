package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.model.Status;
import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers reviews of tokens and of access, also of those who send them with a token. */
final class ReviewHandler {

    private final Map<String, User> tokens = new ConcurrentHashMap<>();
    private final Map<String, Set<String>> permitted = new ConcurrentHashMap<>();
    private volatile List<String> audiences = List.of();

    /** The owner of a token. */
    private record User(String name, List<String> groups) {}

    void know(String token, String user, List<String> groups) {
        tokens.put(token, new User(user, groups));
    }

    void forget(String token) {
        tokens.remove(token);
    }

    void meanFor(List<String> meant) {
        audiences = meant;
    }

    void permit(String user, List<String> operations) {
        permitted.computeIfAbsent(user, _ -> ConcurrentHashMap.newKeySet()).addAll(operations);
    }

    void forbid(String user) {
        permitted.remove(user);
    }

    /** Answers a request if it is a review. */
    boolean answers(ReceivedRequest request, ScriptedResponse answer) throws IOException {
        if (!request.method().equals("POST")) {
            return false;
        }
        switch (request.path()) {
            case "/apis/authentication.k8s.io/v1/tokenreviews" ->
                    answer.json(201, token(JsonTrees.parse(request.body())));
            case "/apis/authorization.k8s.io/v1/subjectaccessreviews" ->
                    answer.json(201, access(JsonTrees.parse(request.body())));
            case "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews" -> {
                return answersSender(request, answer);
            }
            case String _ -> {
                return false;
            }
        }
        return true;
    }

    private boolean answersSender(ReceivedRequest request, ScriptedResponse answer)
            throws IOException {
        String authorization = request.header("Authorization");
        if (authorization.isEmpty()) {
            return false;
        }
        User user = tokens.get(authorization.replaceFirst("^Bearer ", ""));
        ObjectNode review = JsonTrees.parse(request.body());
        if (user == null) {
            answer.status(new Status(401, "Unauthorized", "Unauthorized", null));
        } else if (request.path().endsWith("/selfsubjectreviews")) {
            review.putObject("status").putObject("userInfo").put("username", user.name());
            answer.json(201, review);
        } else {
            ((ObjectNode) review.path("spec")).put("user", user.name());
            answer.json(201, access(review));
        }
        return true;
    }

    private ObjectNode token(ObjectNode review) {
        User user = tokens.get(review.path("spec").path("token").asString(""));
        ObjectNode status = review.putObject("status");
        if (user == null) {
            status.putObject("user");
            return review.put("error", "invalid bearer token");
        }
        status.put("authenticated", true);
        ObjectNode found = status.putObject("user").put("username", user.name());
        found.put("uid", "uid-of-" + user.name());
        user.groups().forEach(found.putArray("groups").add("system:authenticated")::add);
        found.putObject("extra").putArray("example.com/origin").add("scripted");
        audiences.forEach(status.putArray("audiences")::add);
        return review;
    }

    private ObjectNode access(ObjectNode review) {
        JsonNode spec = review.path("spec");
        Set<String> operations = permitted.getOrDefault(spec.path("user").asString(""), Set.of());
        boolean allowed = operations.contains(operation(spec)) || operations.contains("*");
        review.putObject("status").put("allowed", allowed);
        return review;
    }

    private static String operation(JsonNode spec) {
        JsonNode path = spec.path("nonResourceAttributes");
        if (path.isObject()) {
            return path.path("verb").asString("") + " " + path.path("path").asString("");
        }
        JsonNode wanted = spec.path("resourceAttributes");
        String group = wanted.path("group").asString("");
        String resource = wanted.path("resource").asString("");
        String name = wanted.path("name").asString("");
        String namespace = wanted.path("namespace").asString("");
        String place = name.isEmpty() ? namespace : JsonTrees.key(namespace, name);
        return (wanted.path("verb").asString("")
                        + " "
                        + (group.isEmpty() ? resource : resource + "." + group)
                        + " "
                        + place)
                .strip();
    }
}
