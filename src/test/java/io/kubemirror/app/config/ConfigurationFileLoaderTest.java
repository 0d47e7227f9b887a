package io.kubemirror.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.app.config.ConfigurationFileLoader.MalformedFileException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;

/** Tests that a file has settings, and that a small one cannot stand for more than memory holds. */
@Timeout(60)
class ConfigurationFileLoaderTest {

    /** Each line stands for nine times the line before. */
    private static String powers(int lines) {
        return "a0: &a0 x\n"
                + IntStream.range(1, lines)
                        .mapToObj(
                                i ->
                                        "a%d: &a%d [%s]\n"
                                                .formatted(i, i, repeated("*a" + (i - 1), 9)))
                        .collect(Collectors.joining());
    }

    private static String repeated(String text, int times) {
        return String.join(", ", Collections.nCopies(times, text));
    }

    /** Each line is nested deeper by 40 than the line before. */
    private static String chain(int lines) {
        return "a0: &a0 x\n"
                + IntStream.range(1, lines)
                        .mapToObj(
                                i ->
                                        "a%d: &a%d %s*a%d%s\n"
                                                .formatted(
                                                        i,
                                                        i,
                                                        "[".repeat(40),
                                                        i - 1,
                                                        "]".repeat(40)))
                        .collect(Collectors.joining());
    }

    /** The file that was checked may be replaced before it is loaded. */
    @Test
    void file_is_read_once(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("application.yaml"), "a: checked");
        FileSystemResource replaced =
                new FileSystemResource(file) {
                    @Override
                    public InputStream getInputStream() throws IOException {
                        InputStream content =
                                new ByteArrayInputStream(super.getInputStream().readAllBytes());
                        Files.writeString(file, "a: replaced");
                        return content;
                    }
                };

        assertThat(new ConfigurationFileLoader().load("file", replaced))
                .singleElement()
                .extracting(source -> String.valueOf(source.getProperty("a")))
                .isEqualTo("checked");
    }

    static Stream<String> bombs() {
        return Stream.of(
                powers(9),
                chain(200),
                "a: &a [*a]",
                "a: &a {b: *a}",
                "a: &a {b: [1, {c: *a}]}",
                // Names get long rather than many.
                "a: &a [" + repeated("1", 5_000) + "]\n? " + "b".repeat(100_000) + "\n: *a\n",
                "a: &a [%s]\n? [%s]\n: 1\n"
                        .formatted(repeated("x".repeat(100), 2_000), repeated("*a", 60)));
    }

    @ParameterizedTest
    @MethodSource("bombs")
    void file_that_stands_for_too_much_is_refused(String yaml) {
        assertThatThrownBy(() -> load(yaml))
                .isInstanceOf(MalformedFileException.class)
                .hasMessageEndingWith(
                        ": has aliases (*) that stand for too much, or for themselves");
    }

    @Test
    void file_that_is_nested_too_deep_or_too_long_is_refused() {
        assertThatThrownBy(() -> load("a: " + "[".repeat(60) + "]".repeat(60)))
                .hasMessageEndingWith(": is nested too deep");
        assertThatThrownBy(() -> load("# " + "x".repeat(1024 * 1024) + "\na: b"))
                .hasMessageEndingWith(": is longer than 1 MiB");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    - resource: pods | , line 1, column 1: is a list or a value, and has no names
                    pods | , line 1, column 1: is a list or a value, and has no names
                    a: {b: {{ .Values.b }}} | , line 1, column 9: has braces in place of a name, such as a {{ template }} that is not rendered
                    """)
    void file_without_names_is_refused(String yaml, String problem) {
        assertThatThrownBy(() -> load(yaml))
                .isInstanceOf(MalformedFileException.class)
                .hasMessageEndingWith(problem);
    }

    /** YAML 1.1 has octal numbers, and those with the base 60. */
    @ParameterizedTest
    @ValueSource(strings = {"0102400", "-07", "12:30:45"})
    void number_that_yaml_reads_as_another_one_is_refused(String number) throws IOException {
        assertThatThrownBy(() -> load("a:\n  b: [1, " + number + "]"))
                .isInstanceOf(MalformedFileException.class)
                .hasMessageContaining(", line 2, column 10: is a number with a leading zero or a");
        assertThat(load("a: '" + number + "'").getProperty("a")).hasToString(number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "10", "0.5", "0x10", "00ff", "1:a", "10.0.0.1:80"})
    void other_values_are_accepted(String value) {
        assertThatCode(() -> load("a: " + value)).doesNotThrowAnyException();
    }

    @Test
    void malformed_escape_of_a_properties_file_is_refused() {
        assertThatThrownBy(
                        () ->
                                new ConfigurationFileLoader.PropertiesFirst()
                                        .load("file", resource("a=\\u12"), null))
                .isInstanceOf(MalformedFileException.class)
                .hasMessageEndingWith(": has a malformed \\u escape");
    }

    @Test
    void bytes_that_are_no_text_are_refused() {
        Resource latin = new ByteArrayResource(new byte[] {'a', ':', ' ', (byte) 0xfc, '\n'});

        assertThatThrownBy(() -> new ConfigurationFileLoader().load("file", latin))
                .isInstanceOf(MalformedFileException.class)
                .hasMessageEndingWith(": is not text in UTF-8");
    }

    @Test
    void directory_in_the_place_of_a_file_is_refused(@TempDir Path directory) {
        Resource resource = new FileSystemResource(directory);

        assertThatThrownBy(() -> new ConfigurationFileLoader().load("file", resource))
                .isInstanceOf(MalformedFileException.class)
                .hasMessageEndingWith(": is a directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "---", "# nothing", "---\n---\na: b"})
    void file_without_settings_is_accepted(String yaml) {
        assertThatCode(() -> new ConfigurationFileLoader().load("file", resource(yaml)))
                .doesNotThrowAnyException();
    }

    @Test
    void aliases_for_lists_that_resources_share_are_accepted() throws IOException {
        String namespaces =
                IntStream.range(0, 1_000)
                        .mapToObj(i -> "team-" + i)
                        .collect(Collectors.joining(","));
        String resources =
                IntStream.range(0, 50)
                        .mapToObj(i -> "  - {resource: r%d, namespaces: *n}\n".formatted(i))
                        .collect(Collectors.joining());

        assertThat(load("n: &n [" + namespaces + "]\nresources:\n" + resources).getPropertyNames())
                .hasSize(51_050);
    }

    @Test
    void merged_defaults_are_accepted() throws IOException {
        assertThat(load("d: &d {x: 1}\ne: {<<: *d, y: 2}").getPropertyNames())
                .containsExactlyInAnyOrder("d.x", "e.x", "e.y");
    }

    private static EnumerablePropertySource<?> load(String yaml) throws IOException {
        return (EnumerablePropertySource<?>)
                List.copyOf(new ConfigurationFileLoader().load("file", resource(yaml))).getFirst();
    }

    private static Resource resource(String yaml) {
        return new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8));
    }
}
