package io.kubemirror.app;

import org.springframework.boot.json.JsonWriter;
import org.springframework.boot.logging.structured.StructuredLoggingJsonMembersCustomizer;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Leaves {@code service.node} out of lines in the Elastic Common Schema if the node has no name:
 * Boot would write an empty object. Boot creates it for structured logs.
 */
final class EmptyLogMembers implements StructuredLoggingJsonMembersCustomizer<Object> {

    private final boolean named;

    EmptyLogMembers(Environment environment) {
        named =
                StringUtils.hasLength(
                        environment.getProperty("logging.structured.ecs.service.node-name"));
    }

    @Override
    public void customize(JsonWriter.Members<Object> members) {
        members.applyingPathFilter(
                path -> !named && path.toUnescapedString().equals("service.node"));
    }
}
