package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.json.JsonMapper;

/**
 * Selectors and what a real API server answered to them, kept in {@code selectors.json}: the pods
 * that match, or the message of the 400.
 */
class RecordedSelectorsTest {

    private static final Recording RECORDING = read();

    private static final SelectableFields POD_FIELDS =
            SelectableFields.of(ModelSamples.namespaced("", "pods"), List.of());

    @ParameterizedTest
    @MethodSource("labelSelectors")
    void label_selector_gives_the_recorded_api_server_result(RecordedAnswer answer) {
        assertThat(answerTo(answer.selector(), RecordedSelectorsTest::byLabels)).isEqualTo(answer);
    }

    @ParameterizedTest
    @MethodSource("fieldSelectors")
    void field_selector_gives_the_recorded_api_server_result(RecordedAnswer answer) {
        assertThat(answerTo(answer.selector(), RecordedSelectorsTest::byFields)).isEqualTo(answer);
    }

    private static Predicate<KubeObject> byLabels(String text) throws Rejection {
        LabelSelector selector = LabelSelectorParser.parse(text);
        return object -> selector.matches(object.labels());
    }

    private static Predicate<KubeObject> byFields(String text) throws Rejection {
        FieldSelector selector = FieldSelectorParser.parse(text);
        String objection = POD_FIELDS.objection(selector).orElse("");
        if (!objection.isEmpty()) {
            throw Rejection.badRequest(objection);
        }
        return selector::matches;
    }

    private static RecordedAnswer answerTo(String selector, RecordingReader reader) {
        try {
            Predicate<KubeObject> predicate = reader.read(selector);
            List<String> matches =
                    RECORDING.pods().stream()
                            .map(Pod::object)
                            .filter(predicate)
                            .map(object -> object.key().path())
                            .sorted()
                            .toList();
            return new RecordedAnswer(selector, matches, null);
        } catch (Rejection e) {
            return new RecordedAnswer(selector, null, e.getMessage());
        }
    }

    static Stream<RecordedAnswer> labelSelectors() {
        return RECORDING.labelSelectors().stream();
    }

    static Stream<RecordedAnswer> fieldSelectors() {
        return RECORDING.fieldSelectors().stream();
    }

    private static Recording read() {
        try (InputStream file =
                Objects.requireNonNull(
                        RecordedSelectorsTest.class.getResourceAsStream("selectors.json"))) {
            return new JsonMapper().readValue(file, Recording.class);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface RecordingReader {
        Predicate<KubeObject> read(String text) throws Rejection;
    }

    /**
     * The file.
     *
     * @param server what answered
     * @param pods the pods it had
     */
    record Recording(
            String server,
            List<Pod> pods,
            List<RecordedAnswer> labelSelectors,
            List<RecordedAnswer> fieldSelectors) {}

    /** A pod that the server had. */
    record Pod(String key, Map<String, String> labels, Map<String, String> fields) {
        KubeObject object() {
            return ModelSamples.pod(key, labels, fields);
        }
    }

    /**
     * An answer: one of the two.
     *
     * @param matches the keys of the pods that match
     * @param error the message of the 400
     */
    record RecordedAnswer(
            String selector, @Nullable List<String> matches, @Nullable String error) {}
}
