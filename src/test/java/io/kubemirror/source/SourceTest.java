package io.kubemirror.source;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Failure.Malformed;
import io.kubemirror.source.Failure.Refused;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.source.Source.TypeLookup.Found;
import io.kubemirror.source.Source.TypeLookup.Unknown;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a source does that implements only lists and watches, and what its failures say. */
class SourceTest {

    private static final ResourceType PODS = type("", "v1", "pods");
    private static final ResourceType WIDGETS = type("example.com", "v1", "widgets");
    private static final ResourceType OLD_WIDGETS = type("example.com", "v1beta1", "widgets");

    private static final Source SOURCE =
            new ListedTypes(
                    Result.of(
                            List.of(new Found(PODS), new Found(WIDGETS), new Found(OLD_WIDGETS))));

    @ParameterizedTest
    @CsvSource({
        "pods, v1",
        "widgets, v1",
        "widgets.example.com, v1",
        "widgets.v1beta1.example.com, v1beta1"
    })
    void name_resolves_to_the_first_type_that_it_matches(String name, String version) {
        Found found = (Found) Results.value(SOURCE.resolve(new ResourceName(name)));

        assertThat(found.type().plural()).isEqualTo(new ResourceName(name).plural());
        assertThat(found.type().version()).isEqualTo(version);
    }

    @ParameterizedTest
    @CsvSource({"nodes", "pods.example.com", "widgets.v2.example.com"})
    void name_of_no_type_is_unknown(String name) {
        assertThat(Results.value(SOURCE.resolve(new ResourceName(name))))
                .isEqualTo(new Unknown(List.of()));
    }

    @Test
    void name_is_not_resolved_while_the_types_are_unknown() {
        Failure refused = Refused.of(503, "starting");
        Source failing = new ListedTypes(Result.failed(refused));
        assertThat(Results.failure(failing.resolve(new ResourceName("pods")))).isEqualTo(refused);
    }

    @ParameterizedTest
    @CsvSource({"401, true", "403, false", "410, false"})
    void rejected_credentials_may_be_stale(int code, boolean stale) {
        assertThat(Refused.of(code, "").isStale()).isEqualTo(stale);
    }

    @ParameterizedTest
    @EnumSource
    void connection_may_need_fresh_certificates_if_it_is_not_trusted(Kind kind) {
        assertThat(new Unreachable("", kind).isStale()).isEqualTo(kind == Kind.UNTRUSTED);
    }

    @ParameterizedTest
    @CsvSource({"500, false", "501, true"})
    void message_of_a_failure_is_one_line_of_500_characters(int length, boolean isCut) {
        String line = "x".repeat(length);
        assertThat(Refused.of(410, line + "\nmore").summary())
                .isEqualTo("HTTP 410 Gone: " + (isCut ? "x".repeat(500) + "..." : line));
    }

    private static ResourceType type(String group, String version, String plural) {
        return new ResourceType(group, version, "Kind", plural, "", true, List.of(), List.of());
    }

    /** Has types, and no objects. */
    private record ListedTypes(Result<List<Found>> types) implements Source {

        @Override
        public SourceDescription description() {
            return new SourceDescription("types", "types", "types");
        }

        @Override
        public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
            return Result.failed(new Malformed("no objects"));
        }

        @Override
        public Result<WatchStream> watch(WatchRequest request) {
            return Result.failed(new Malformed("no objects"));
        }
    }
}
