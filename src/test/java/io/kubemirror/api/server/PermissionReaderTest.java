package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** Tests the authorization attributes of requests, which are those of the API server. */
class PermissionReaderTest {

    private static final List<String> SEGMENTS =
            List.of(
                    "api apis v1 apps watch proxy namespaces pods a status finalize version a%2Fb .. x%25 "
                            .split(" ", -1));

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/server/verbs.csv",
            delimiter = '|',
            quoteCharacter = '\'')
    void method_decides_about_the_verb_of_a_request_that_is_passed_on(
            String method, String path, String verb, String resource) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, path);

        assertThat(PermissionReader.ofMethod(request))
                .isInstanceOfSatisfying(
                        Permission.OnResource.class,
                        wanted -> {
                            assertThat(wanted.verb())
                                    .isEqualTo(Verb.valueOf(verb.toUpperCase(Locale.ROOT)));
                            assertThat(wanted.resource()).isEqualTo(resource);
                        });
        assertThat(PermissionReader.of(request).verb()).isIn(Verb.GET, Verb.LIST);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, exec, GET CREATE",
        "GET, attach, GET CREATE",
        "GET, portforward, GET CREATE",
        "POST, exec, CREATE",
        "GET, log, GET"
    })
    void connection_to_a_container_needs_the_permission_to_create_it(
            String method, String subresource, String verbs) {
        MockHttpServletRequest request =
                new MockHttpServletRequest(method, "/api/v1/namespaces/a/pods/x/" + subresource);

        assertThat(PermissionReader.allOfMethod(request))
                .extracting(one -> ((Permission.OnResource) one).verb().name())
                .containsExactly(verbs.split(" "));
    }

    /** Otherwise a permission for one resource would let another be read. */
    @Test
    void intent_agrees_with_the_served_path() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 200_000; i++) {
            String path = randomPath(random);
            assertThat(permission(path, null))
                    .as("%s, seed %d", path, seed)
                    .matches(of(path)::agrees);
        }
    }

    private static String randomPath(Random random) {
        return IntStream.range(0, 1 + random.nextInt(9))
                .mapToObj(_ -> SEGMENTS.get(random.nextInt(SEGMENTS.size())))
                .collect(Collectors.joining("/", "/", random.nextInt(4) == 0 ? "/" : ""));
    }

    /** What the path serves, empty where it serves no objects. */
    private record Served(Optional<RequestPath.Resource> resource, String namespace, String name) {

        /** A namespace is authorized in itself. */
        boolean agrees(Permission permission) {
            return resource.isEmpty()
                    || (permission instanceof Permission.OnResource wanted
                            && new RequestPath.Resource(
                                            wanted.group(), wanted.version(), wanted.plural())
                                    .equals(resource.get())
                            && wanted.name().equals(name)
                            && (wanted.namespace().equals(namespace)
                                    || (wanted.plural().equals("namespaces")
                                            && namespace.isEmpty()
                                            && wanted.namespace().equals(name))));
        }
    }

    @Test
    void stream_needs_the_permission_for_each_of_its_resources() {
        String query =
                "resource=pods&resource=deployments.apps&namespace=a"
                        + "&fieldSelector=metadata.name%3Dx";

        assertThat(PermissionReader.ofStream(Query.parse(query)))
                .containsExactly(
                        new Permission.OnResource(Verb.WATCH, "", "", "pods", "a", "x"),
                        new Permission.OnResource(Verb.WATCH, "apps", "", "deployments", "a", "x"));
    }

    private static Served of(String path) {
        return switch (RequestPath.parse(Query.decoded(path))) {
            case RequestPath.Collection(var resource, var namespace, var _) ->
                    new Served(Optional.of(resource), namespace, "");
            case RequestPath.Item(var resource, var namespace, var name, var _) ->
                    new Served(Optional.of(resource), namespace, name);
            case RequestPath.Part part ->
                    new Served(Optional.of(part.resource()), part.namespace(), part.name());
            case RequestPath.VersionPath _,
                    RequestPath.Versions _,
                    RequestPath.Groups _,
                    RequestPath.Group _,
                    RequestPath.Resources _,
                    RequestPath.Unserved _,
                    RequestPath.Elsewhere _,
                    RequestPath.Extension _,
                    RequestPath.Malformed _ ->
                    new Served(Optional.empty(), "", "");
        };
    }

    private static Permission permission(String path, @Nullable String query) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
        request.setQueryString(query);
        return PermissionReader.of(request);
    }
}
