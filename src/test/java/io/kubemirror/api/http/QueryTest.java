package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queries are read as Go reads them (list-watch.md#pa-16, #de-1). */
class QueryTest {

    @Test
    void empty_pairs_are_skipped() {
        Query query = Query.parse("&&limit=500&");
        assertThat(query.text("limit")).isEqualTo("500");
        assertThat(query.get("")).isEmpty();
    }

    @Test
    void the_first_value_wins_even_if_it_is_empty() {
        assertThat(Query.parse("limit=1&limit=2").text("limit")).isEqualTo("1");
        assertThat(Query.parse("limit=&limit=2").get("limit")).contains("");
    }

    @Test
    void names_are_case_sensitive() {
        assertThat(Query.parse("Limit=1").get("limit")).isEmpty();
    }

    @Test
    void pairs_with_semicolons_or_malformed_escapes_are_dropped() {
        Query query = Query.parse("limit=1;x=1&limit=%zz&a%4=1&watch=%74rue");
        assertThat(query.get("limit")).isEmpty();
        assertThat(query.get("a%4")).isEmpty();
        assertThat(query.text("watch")).isEqualTo("true");
    }

    @Test
    void escapes_are_decoded_once_and_plus_means_space() {
        assertThat(Query.parse("a=%2525+%2C%3D\\%C3%A4").text("a")).isEqualTo("%25 ,=\\\u00e4");
    }

    @ParameterizedTest
    @CsvSource({
        "watch=0,false",
        "watch=false,false",
        "watch=FALSE,false",
        "watch=1,true",
        "watch=no,true",
        "watch=,true",
        "watch,true",
        "x=1,false"
    })
    void boolean_parameter_is_on_unless_false_or_zero(String query, boolean on) {
        assertThat(Query.parse(query).isOn("watch")).isEqualTo(on);
    }
}
