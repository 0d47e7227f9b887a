package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypeCatalogTest {

    private final DiscoveryClient.TypeCatalog catalog = new DiscoveryClient.TypeCatalog();

    /** Types as {@code group version plural}, in the order of the server, and what names mean. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    core types precede Kubernetes' groups and all others | metrics.example.com v1 events, events.k8s.io v1 events, '' v1 events | events=v1, events.events.k8s.io=events.k8s.io/v1, events.metrics.example.com=metrics.example.com/v1
                    Kubernetes' groups precede others | b.example.com v1 ingresses, networking.k8s.io v1 ingresses | ingresses=networking.k8s.io/v1
                    other groups keep their order | b.example.com v1 routes, a.example.com v1 routes | routes=b.example.com/v1
                    a version in a name precedes an equally named group | v1.example.com v2 widgets, example.com v2 widgets, example.com v1 widgets | widgets.v1.example.com=example.com/v1
                    a type that the preferred version lacks is found in another | example.com v2 widgets, example.com v1 widgets, example.com v1 gadgets | widgets=example.com/v2, gadgets=example.com/v1
                    """)
    void name_means_the_type_that_precedes_others(String why, String types, String meanings) {
        for (String type : types.split(", ", -1)) {
            String[] parts = type.split(" ", -1);
            add(parts[0].replace("''", ""), parts[1], parts[2]);
        }

        for (String meaning : meanings.split(", ", -1)) {
            String[] parts = meaning.split("=", -1);
            assertThat(found(parts[0])).as(parts[0]).isEqualTo(parts[1]);
        }
    }

    @Test
    void at_most_three_groups_with_a_type_of_that_name_are_suggested() {
        for (String group : List.of("a", "b", "c", "d")) {
            add(group + ".example.com", "v2", "widgets");
            add(group + ".example.com", "v1", "widgets");
        }

        assertThat(catalog.find(new ResourceName("widgets.example.com")))
                .isEqualTo(
                        Result.of(
                                new TypeLookup.Unknown(
                                        List.of(
                                                "widgets.a.example.com",
                                                "widgets.b.example.com",
                                                "widgets.c.example.com"))));
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
