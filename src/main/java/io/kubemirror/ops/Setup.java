package io.kubemirror.ops;

import java.util.Map;
import java.util.function.Supplier;

/**
 * What operators are told of this process that never changes.
 *
 * @param version the version of kubemirror
 * @param upstream the API server's address and where the credentials come from, without any secret
 * @param api tells where the Kubernetes API is served, once it is
 * @param settings the settings that matter, by property, without any secret
 */
public record Setup(
        String version, String upstream, Supplier<String> api, Map<String, String> settings) {}
