package io.kubemirror.app;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What runs, for those who operate it.
 *
 * @param version the version of kubemirror
 * @param upstream the API server's address and the source of the credentials, without any secret
 * @param api returns the address of the Kubernetes API, available once the server has started
 * @param settings returns the effective settings by property, without any secret
 * @param mirrors returns the mirrors in the order of the configuration
 */
public record ProcessDescription(
        String version,
        String upstream,
        Supplier<String> api,
        Supplier<Map<String, String>> settings,
        Supplier<List<Mirrored>> mirrors) {}
