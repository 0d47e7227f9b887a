package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;

/** The rules of equality ignore nothing else. */
class EqualityTest {

    private static final String METADATA =
            "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":%s}";

    @Test
    void metadata_comparison_ignores_member_order() {
        assertThat(Equality.normalized(METADATA.formatted("{\"b\":{\"d\":1,\"c\":2},\"a\":3}")))
                .isEqualTo(METADATA.formatted("{\"a\":3,\"b\":{\"c\":2,\"d\":1}}"));
        assertThat(Equality.normalized("{\"metadata\":{\"b\":1,\"a\":2}}"))
                .isEqualTo("{\"metadata\":{\"b\":1,\"a\":2}}");
    }

    @Test
    void ages_are_normalized_in_tables_only() {
        assertThat(
                        Equality.normalized(
                                "{\"kind\":\"Table\",\"rows\":[{\"cells\":[\"x\",\"4m17s\",\"9\"]}]}"))
                .isEqualTo("{\"kind\":\"Table\",\"rows\":[{\"cells\":[\"x\",\"age\",\"9\"]}]}");
        assertThat(Equality.normalized("[\"4m17s\"]")).isEqualTo("[\"4m17s\"]");
    }

    @Test
    void column_filter_keeps_names_and_objects_of_tables() {
        String table =
                "{\"kind\":\"Table\",\"metadata\":{},\"columnDefinitions\":[{\"name\":\"Name\",\"type\":\"t\"},"
                    + "{\"name\":\"Ready\"}],\"rows\":%s}";
        String row = "{\"cells\":[\"x\",\"1/1\"],\"conditions\":[],\"object\":{\"a\":1}}";

        assertThat(ColumnFilter.normalized(table.formatted("[" + row + "]"), Set.of("Name")))
                .isEqualTo(
                        "{\"kind\":\"Table\",\"metadata\":{},\"columnDefinitions\":[{\"name\":\"Name\","
                            + "\"type\":\"t\"}],\"rows\":[{\"cells\":[\"x\"],\"object\":{\"a\":1}}]}");
        assertThat(ColumnFilter.normalized(table.formatted("null"), Set.of("Name")))
                .endsWith("\"rows\":[]}");
    }
}
