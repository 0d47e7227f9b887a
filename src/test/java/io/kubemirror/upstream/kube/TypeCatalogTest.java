package io.kubemirror.upstream.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.Results;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.UpstreamApi.TypeLookup;

import org.junit.jupiter.api.Test;

import java.util.List;

class TypeCatalogTest {

    private final TypeCatalog catalog = new TypeCatalog();

    @Test
    void core_comes_before_the_groups_of_kubernetes_and_those_before_all_others() {
        add("metrics.example.com", "v1", "events");
        add("events.k8s.io", "v1", "events");
        add("", "v1", "events");

        assertThat(found("events")).isEqualTo("v1");
        assertThat(found("events.events.k8s.io")).isEqualTo("events.k8s.io/v1");
        assertThat(found("events.metrics.example.com")).isEqualTo("metrics.example.com/v1");
    }

    @Test
    void a_group_of_kubernetes_comes_before_others_and_those_come_in_the_servers_order() {
        add("b.example.com", "v1", "ingresses");
        add("networking.k8s.io", "v1", "ingresses");
        add("b.example.com", "v1", "routes");
        add("a.example.com", "v1", "routes");

        assertThat(found("ingresses")).isEqualTo("networking.k8s.io/v1");
        assertThat(found("routes")).isEqualTo("b.example.com/v1");
    }

    @Test
    void a_named_version_wins_over_a_group_of_that_name() {
        add("v1.example.com", "v2", "widgets");
        add("example.com", "v2", "widgets");
        add("example.com", "v1", "widgets");

        assertThat(found("widgets.v1.example.com")).isEqualTo("example.com/v1");
    }

    @Test
    void a_type_that_the_preferred_version_lacks_is_found_in_another() {
        add("example.com", "v2", "widgets");
        add("example.com", "v1", "widgets");
        add("example.com", "v1", "gadgets");

        assertThat(found("widgets")).isEqualTo("example.com/v2");
        assertThat(found("gadgets")).isEqualTo("example.com/v1");
    }

    @Test
    void at_most_three_names_are_offered_the_nearest_first() {
        add("example.com", "v1", "wodgets");
        add("example.com", "v2", "widgets");
        add("example.com", "v1", "widgets");
        add("example.org", "v1", "wadgetz");
        add("example.net", "v1", "gadgets");

        assertThat(catalog.find(new ResourceName("widgetz")))
                .isEqualTo(
                        Result.of(
                                new TypeLookup.Unknown(
                                        List.of(
                                                "widgets.example.com",
                                                "wadgetz.example.org",
                                                "wodgets.example.com"))));
    }

    private void add(String group, String version, String plural) {
        catalog.add(
                new ResourceType(group, version, "Kind", plural, "", true, List.of(), List.of()));
    }

    private String found(String name) {
        TypeLookup outcome = Results.value(catalog.find(new ResourceName(name)));
        assertThat(outcome).isInstanceOf(TypeLookup.Found.class);
        return ((TypeLookup.Found) outcome).type().apiVersion();
    }
}
