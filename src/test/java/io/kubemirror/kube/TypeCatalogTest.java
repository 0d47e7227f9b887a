package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Test;

class TypeCatalogTest {

    private final TypeCatalog catalog = new TypeCatalog();

    @Test
    void core_types_precede_kubernetes_groups_and_all_other_groups() {
        add("metrics.example.com", "v1", "events");
        add("events.k8s.io", "v1", "events");
        add("", "v1", "events");

        assertThat(found("events")).isEqualTo("v1");
        assertThat(found("events.events.k8s.io")).isEqualTo("events.k8s.io/v1");
        assertThat(found("events.metrics.example.com")).isEqualTo("metrics.example.com/v1");
    }

    @Test
    void kubernetes_groups_precede_others_which_keep_the_server_order() {
        add("b.example.com", "v1", "ingresses");
        add("networking.k8s.io", "v1", "ingresses");
        add("b.example.com", "v1", "routes");
        add("a.example.com", "v1", "routes");

        assertThat(found("ingresses")).isEqualTo("networking.k8s.io/v1");
        assertThat(found("routes")).isEqualTo("b.example.com/v1");
    }

    @Test
    void version_in_a_name_takes_precedence_over_an_equally_named_group() {
        add("v1.example.com", "v2", "widgets");
        add("example.com", "v2", "widgets");
        add("example.com", "v1", "widgets");

        assertThat(found("widgets.v1.example.com")).isEqualTo("example.com/v1");
    }

    @Test
    void type_missing_from_the_preferred_version_is_found_in_another() {
        add("example.com", "v2", "widgets");
        add("example.com", "v1", "widgets");
        add("example.com", "v1", "gadgets");

        assertThat(found("widgets")).isEqualTo("example.com/v2");
        assertThat(found("gadgets")).isEqualTo("example.com/v1");
    }

    @Test
    void at_most_three_similar_names_are_suggested_closest_first() {
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

    @Test
    void closest_group_is_suggested_first() {
        add("extensions", "v1", "deployments");
        add("apps", "v1", "deployments");
        add("apps", "v1", "daemonsets");

        assertThat(similar("deploymets.app"))
                .isEqualTo(List.of("deployments.apps", "deployments.extensions"));
        assertThat(similar("things.v1.app")).isEmpty();
    }

    private List<String> similar(String name) {
        return Results.value(catalog.find(new ResourceName(name)))
                        instanceof TypeLookup.Unknown(var names)
                ? names
                : List.of("found");
    }

    private void add(String group, String version, String plural) {
        catalog.add(
                new ResourceType(group, version, "Kind", plural, "", true, List.of(), List.of()),
                true);
    }

    private String found(String name) {
        TypeLookup outcome = Results.value(catalog.find(new ResourceName(name)));
        assertThat(outcome).isInstanceOf(TypeLookup.Found.class);
        return ((TypeLookup.Found) outcome).type().apiVersion();
    }
}
