package io.kubemirror.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import module java.base;

import io.kubemirror.app.BoundProperties;
import io.kubemirror.model.DurationRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.support.SystemEnvironmentPropertySourceEnvironmentPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Tests that nothing is written below a property that has no members (resources.md). */
@ExtendWith(OutputCaptureExtension.class)
class NestedNameCheckTest {

    private static final String POD = "kubemirror.resources[0].";

    private static final String VARIABLES =
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;

    /** Returns all properties of a resource that are values or lists of values. */
    static Stream<String> leavesOfResources() {
        return BoundProperties.elements().stream().flatMap(type -> leaves("", type)).distinct();
    }

    /** Returns all properties that are values or lists of values. */
    static Stream<String> leaves() {
        return BoundProperties.types().entrySet().stream()
                .flatMap(
                        types ->
                                types.getValue().stream()
                                        .flatMap(type -> leaves(prefix(types.getKey()), type)));
    }

    private static String prefix(String below) {
        return "kubemirror." + (below.isEmpty() ? "" : below + ".");
    }

    private static Stream<String> leaves(String prefix, Class<?> group) {
        return Arrays.stream(group.getRecordComponents()).flatMap(member -> leaves(prefix, member));
    }

    private static Stream<String> leaves(String prefix, RecordComponent member) {
        String name = prefix + DataObjectPropertyName.toDashedForm(member.getName());
        Class<?> type = member.getType();
        if (type == List.class) {
            Class<?> element =
                    ResolvableType.forType(member.getGenericType()).getGeneric(0).toClass();
            return element.isRecord() ? leaves(name + "[0].", element) : Stream.of(name);
        }
        return type.isRecord() && type != DurationRange.class
                ? leaves(name + ".", type)
                : Stream.of(name);
    }

    @ParameterizedTest
    @MethodSource("leavesOfResources")
    void map_in_place_of_a_value_is_refused_in_a_file(String leaf) throws IOException {
        String group =
                leaf.contains(".") ? leaf.replace(".", ": {") + ": {x: y}}" : leaf + ": {x: y}";

        assertRefused(POD + leaf + ".x", file("- {" + group + "}"));
    }

    @ParameterizedTest
    @MethodSource("leavesOfResources")
    void key_below_a_value_is_refused_in_an_argument(String leaf) {
        assertRefused(POD + leaf + ".x", arguments(POD + leaf + ".x"));
        assertRefused(POD + leaf + "[0].x", arguments(POD + leaf + "[0].x"));
        assertRefused(POD + leaf + "[0][1]", arguments(POD + leaf + "[0][1]"));
    }

    @ParameterizedTest
    @MethodSource("leavesOfResources")
    void key_below_a_value_is_refused_in_a_variable(String leaf) {
        String member = leaf.replace('.', '_');

        assertThat(refused(variable("RESOURCES_0_" + member.replace("-", "") + "_X")))
                .startsWith(POD);
        assertThat(refused(variable("RESOURCES_0_" + member.replace('-', '_') + "_X")))
                .startsWith(POD);
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void key_below_any_value_is_refused(String leaf) {
        assertRefused(leaf + ".x", arguments(leaf + ".x"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    label-selector: {app: db} | label-selector.app
                    field-selector: {metadata.name: } | field-selector.metadata.name
                    label-selector: [app=db] | label-selector[0]
                    drop-fields: {data: true} | drop-fields.data
                    drop-fields: [{data: true}] | drop-fields[0].data
                    namespaces: {default: } | namespaces.default
                    namespaces: [[default]] | namespaces[0][0]
                    """)
    void restriction_in_another_form_is_refused(String written, String name) throws IOException {
        assertRefused(POD + name, file("- {resource: pods, " + written + "}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RESOURCES_0_LABELSELECTOR",
                "RESOURCES_0_LABEL_SELECTOR",
                "RESOURCES_0_NAMESPACES_0",
                "RESOURCES_0_HISTORY_MAX_EVENTS",
                "RESOURCES_0_HISTORY_MAXEVENTS",
                "RESOURCES_0_RESOURCE_VERSION",
                "RESOURCES_SERVICE_HOST",
                "PORT_8080_TCP_ADDR"
            })
    void variable_that_is_bound_or_comes_from_kubernetes_is_accepted(String name) {
        StandardEnvironment environment =
                environment(arguments(POD + "resource"), variable(name, "100"));

        assertThatCode(() -> BoundRecords.bind(environment))
                .satisfiesAnyOf(
                        failure -> assertThat(failure).isNull(),
                        failure ->
                                assertThat(problem(environment, failure))
                                        .doesNotContain("unknown property"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"kubemirror.resources", "kubemirror.resources[0]"})
    void element_in_short_form_has_no_keys_below(String written) {
        assertThat(refused(arguments(Map.of(written, "pods", POD + "label-selector", "a"))))
                .startsWith(POD + "label-selector: unknown property");
    }

    @ParameterizedTest
    @ValueSource(strings = {"KUBEMIRROR_RESOURCES", "KUBEMIRROR_RESOURCES_0"})
    void element_in_short_form_has_no_keys_below_in_a_variable(String written) {
        assertThat(
                        refused(
                                variables(
                                        Map.of(
                                                written,
                                                "pods",
                                                "KUBEMIRROR_RESOURCES_0_LABELSELECTOR",
                                                "a"))))
                .startsWith(POD + "labelselector: unknown property");
    }

    @Test
    void misspelled_variable_of_a_resource_is_refused() {
        assertThat(refused(variable("RESOURCES_0_LABLESELECTOR", "a=b")))
                .isEqualTo(
                        POD
                                + "lableselector: unknown property; did you mean "
                                + POD
                                + "label-selector?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    HISTORY_MAX_EVENT | kubemirror.history.max.event: unknown property, which has no effect; did you mean kubemirror.history.max-events?
                    HISTROY_SPAN | kubemirror.histroy.span: unknown property, which has no effect; did you mean kubemirror.history?
                    """)
    void misspelled_variable_is_reported(String name, String warning, CapturedOutput output) {
        BoundRecords.bind(environment(arguments(POD + "resource"), variable(name, "5")));

        assertThat(output).contains(warning);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HISTORY_MAX_EVENTS",
                "HISTORY_MAXEVENTS",
                "SERVICE_HOST",
                "METRICS_SERVICE_PORT_HTTP",
                "PORT",
                "PORT_8080_TCP_ADDR"
            })
    void variable_that_is_bound_or_comes_from_kubernetes_is_not_reported(
            String name, CapturedOutput output) {
        BoundRecords.bind(environment(arguments(POD + "resource"), variable(name, "102400")));

        assertThat(output).doesNotContain("unknown property");
    }

    /** Boot binds a list from one source, so a restriction in another one would get lost. */
    @Test
    void variable_of_a_list_that_an_argument_replaces_is_refused() {
        StandardEnvironment environment =
                environment(
                        variable("RESOURCES_0_DROPFIELDS_0", "data"), arguments(POD + "resource"));
        new SystemEnvironmentPropertySourceEnvironmentPostProcessor()
                .postProcessEnvironment(environment, new SpringApplication());

        assertThat(problem(environment, catchThrowable(() -> BoundRecords.bind(environment))))
                .isEqualTo(
                        POD
                                + "dropfields[0] (environment variable"
                                + " KUBEMIRROR_RESOURCES_0_DROPFIELDS_0): has no effect, because"
                                + " another source, such as the command line,"
                                + " replaces kubemirror.resources; set all resources in one"
                                + " place");
    }

    private static PropertySource<?> file(String resource) throws IOException {
        String yaml = "kubemirror:\n  resources:\n    " + resource + "\n";
        return new ConfigurationFileLoader()
                .load("file", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                .getFirst();
    }

    private static PropertySource<?> arguments(String name) {
        return arguments(Map.of(name, "pods"));
    }

    private static PropertySource<?> arguments(Map<String, Object> written) {
        return new MapPropertySource("arguments", written);
    }

    private static PropertySource<?> variable(String name) {
        return variable(name, "y");
    }

    private static PropertySource<?> variable(String name, String value) {
        return variables(Map.of("KUBEMIRROR_" + name.toUpperCase(Locale.ROOT), value));
    }

    private static PropertySource<?> variables(Map<String, Object> written) {
        return new SystemEnvironmentPropertySource(VARIABLES, written);
    }

    private static StandardEnvironment environment(PropertySource<?>... sources) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().remove(VARIABLES);
        List.of(sources).forEach(environment.getPropertySources()::addFirst);
        return environment;
    }

    private static void assertRefused(String name, PropertySource<?> source) {
        assertThat(refused(source)).startsWith(name + ": unknown property; ");
    }

    /** Returns the line about the mistake in a source. */
    private static String refused(PropertySource<?> source) {
        StandardEnvironment environment = environment(source);
        return problem(environment, catchThrowable(() -> BoundRecords.bind(environment)));
    }

    private static String problem(StandardEnvironment environment, Throwable failure) {
        assertThat(failure).as("nothing was refused").isNotNull();
        return ConfigurationErrorReporter.line(
                Objects.requireNonNull(
                        new ConfigurationErrorReporter(environment).analyze(failure)));
    }
}
