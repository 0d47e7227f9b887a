package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.RequestPath.Collection;
import io.kubemirror.api.http.RequestPath.Item;
import io.kubemirror.api.http.RequestPath.Resource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how paths are parsed (list-watch.md#paths). */
class RequestPathTest {

    private static final Resource PODS = new Resource("", "v1", "pods");
    private static final Resource DEPLOYMENTS = new Resource("apps", "v1", "deployments");
    private static final Resource NAMESPACES = new Resource("", "v1", "namespaces");

    @Test
    void collection_path_has_an_optional_namespace() {
        assertPath("/api/v1/pods", new Collection(PODS, "", false));
        assertPath("/api/v1/namespaces/a/pods", new Collection(PODS, "a", false));
        assertPath("/apis/apps/v1/deployments", new Collection(DEPLOYMENTS, "", false));
    }

    @Test
    void object_path_ends_with_the_name() {
        assertPath("/api/v1/namespaces/a/pods/x.y.z", new Item(PODS, "a", "x.y.z", false));
        assertPath(
                "/apis/apps/v1/namespaces/a/deployments/x;v=1",
                new Item(DEPLOYMENTS, "a", "x;v=1", false));
    }

    @Test
    void namespace_path_is_an_object_path() {
        assertPath("/api/v1/namespaces", new Collection(NAMESPACES, "", false));
        assertPath("/api/v1/namespaces/a", new Item(NAMESPACES, "", "a", false));
    }

    @Test
    void deprecated_watch_paths_are_recognized() {
        assertPath("/api/v1/watch/pods", new Collection(PODS, "", true));
        assertPath("/api/v1/watch/namespaces/a/pods/x", new Item(PODS, "a", "x", true));
        assertPath("/api/v1/watch/namespaces/a", new Item(NAMESPACES, "", "a", true));
    }

    @Test
    void discovery_paths_are_recognized() {
        assertPath("/api", new RequestPath.Versions());
        assertPath("/api/v1", new RequestPath.Resources("", "v1"));
        assertPath("/apis", new RequestPath.Groups());
        assertPath("/apis/apps", new RequestPath.Group("apps"));
        assertPath("/apis/apps/v1", new RequestPath.Resources("apps", "v1"));
    }

    @Test
    void version_path_is_recognized() {
        assertPath("/version", new RequestPath.VersionPath());
        assertPath("/version/", new RequestPath.VersionPath());
    }

    @Test
    void one_trailing_slash_is_ignored() {
        assertPath("/api/v1/pods/", new Collection(PODS, "", false));
        assertPath("/apis/", new RequestPath.Groups());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1//pods",
                "/api/v1/pods//",
                "/api/v1/watch",
                "/api/v1/proxy",
                "/api/v1/proxy/pods",
                "/api/v1/namespaces/../pods",
                "/api/v1/namespaces/a%25/pods"
            })
    void other_paths_of_the_api_are_unserved(String path) {
        assertPath(path, new RequestPath.Unserved(""));
        assertPath(path.replace("/api/", "/apis/g/"), new RequestPath.Unserved("g"));
    }

    @Test
    void segments_after_an_object_name_are_a_subresource() {
        assertPath("/api/v1/namespaces/a/pods/x/log", new RequestPath.Part(PODS, "a", "x", "log"));
        assertPath("/api/v1/namespaces/a/pods/x%2Fy", new RequestPath.Part(PODS, "a", "x", "y"));
        assertPath("/api/v1/pods/x/y/z", new RequestPath.Part(PODS, "", "x", "y/z"));
        assertPath(
                "/api/v1/namespaces/a/status", new RequestPath.Part(NAMESPACES, "", "a", "status"));
    }

    @Test
    void dots_and_percent_signs_in_names_are_kept() {
        assertPath("/api/v1/namespaces/a/pods/%2e%2E", new Item(PODS, "a", "..", false));
        assertPath("/api/v1/namespaces/a/pods/..", new Item(PODS, "a", "..", false));
        assertPath("/api/v1/namespaces/a/pods/x%25", new Item(PODS, "a", "x%", false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "", "/foo", "//api", "/apix/v1", "/version/x", "/apis//v1"})
    void paths_outside_the_api_are_recognized(String path) {
        assertPath(path, new RequestPath.Elsewhere());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/%zz", "/api/%4", "/%"})
    void malformed_escape_makes_the_path_malformed(String path) {
        assertPath(path, new RequestPath.Malformed());
    }

    private static void assertPath(String path, RequestPath expected) {
        assertThat(RequestPath.parse(Query.decoded(path))).isEqualTo(expected);
    }
}
