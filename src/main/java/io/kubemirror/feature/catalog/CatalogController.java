package io.kubemirror.feature.catalog;

import module java.base;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;

import io.kubemirror.api.encode.ListExtension.ListExtensions;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.ResourceType;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Lists what is mirrored, how fresh it is, and what lists can do beyond the API server's. With
 * authorization, a client needs the permission to get the path. The list has no number of objects:
 * clients may read fewer than there are.
 */
@RestController
final class CatalogController {

    private final MirrorSet mirrors;
    private final ReadPolicies policies;
    private final StalenessPolicy staleness;
    private final ListExtensions extensions;

    CatalogController(
            MirrorSet mirrors,
            ReadPolicies policies,
            StalenessPolicy staleness,
            ListExtensions extensions) {
        this.mirrors = mirrors;
        this.policies = policies;
        this.staleness = staleness;
        this.extensions = extensions;
    }

    /**
     * The document.
     *
     * @param listParameters the parameters of lists that the API server does not have
     */
    private record Catalog(
            String kind, String apiVersion, List<Entry> items, List<String> listParameters) {}

    /**
     * A mirror.
     *
     * @param resource the name in the configuration
     * @param kind null until the type is known, as group and version are
     * @param namespace the only one, {@code *} for several, empty for all
     * @param fields which members objects have, empty for whole objects
     * @param upstreamAgeSeconds null before the first contact with the API server
     */
    private record Entry(
            String resource,
            @Nullable @JsonInclude(Include.NON_NULL) String group,
            @Nullable @JsonInclude(Include.NON_NULL) String version,
            @Nullable @JsonInclude(Include.NON_NULL) String kind,
            @JsonInclude(Include.NON_EMPTY) String namespace,
            @JsonInclude(Include.NON_EMPTY) String labelSelector,
            @JsonInclude(Include.NON_EMPTY) String fieldSelector,
            @JsonInclude(Include.NON_EMPTY) String fields,
            String state,
            String resourceVersion,
            @Nullable @JsonInclude(Include.NON_NULL) Long upstreamAgeSeconds) {}

    /** Sends the document. */
    @GetMapping("/kubemirror/v1")
    void catalog(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Catalog catalog =
                new Catalog(
                        "MirroredResourceList",
                        "kubemirror/v1",
                        mirrors.stream().map(this::entry).toList(),
                        extensions.names());
        Reply.json(GoJson.line(catalog)).toSender(request).send(response);
    }

    private Entry entry(Mirror mirror) {
        ResourceType type = mirror.type().orElse(null);
        return new Entry(
                mirror.scope().resource().text(),
                type == null ? null : type.group(),
                type == null ? null : type.version(),
                type == null ? null : type.kind(),
                mirror.scope().namespace(),
                mirror.scope().selection().labels().text(),
                mirror.scope().selection().fields().text(),
                policies.of(mirror).fields(),
                staleness.text(mirror),
                mirror.revision().digits(),
                staleness.age(mirror).orElse(null));
    }
}
