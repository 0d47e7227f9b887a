package io.kubemirror.web.table;

import tools.jackson.databind.JsonNode;

/** The {@code conditions} of a status. */
final class Conditions {

    private Conditions() {}

    /** Whether there is a condition of the type that is true. */
    static boolean isTrue(JsonNode status, String type) {
        return status(status, type).equals("True");
    }

    /** The status of the condition of a type, empty if there is none. */
    static String status(JsonNode status, String type) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asString("").equals(type)) {
                return condition.path("status").asString("");
            }
        }
        return "";
    }
}
