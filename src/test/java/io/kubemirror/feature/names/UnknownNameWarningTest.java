package io.kubemirror.feature.names;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.FileSystemResource;

class UnknownNameWarningTest {

    private static List<String> warnings(PropertySource<?>... sources) {
        return warnings(Map.of(), sources);
    }

    private static List<String> warnings(
            Map<ConfigurationPropertyName, Class<?>> bound, PropertySource<?>... sources) {
        StandardEnvironment environment = new StandardEnvironment();
        List.of(sources).forEach(environment.getPropertySources()::addLast);
        return UnknownNameWarning.warnings(environment, bound);
    }

    private static PropertySource<?> argument(String name) {
        return new MapPropertySource("arguments", Map.of(name, "1"));
    }

    @ParameterizedTest
    @CsvSource({
        "server.prot, did you mean server.port?",
        "server.ssl.certficate, did you mean server.ssl.certificate?",
        "server.jetty.thread.max, did you mean server.jetty.threads.max?",
        "management.endpoints.web.exposure.inculde,"
                + " did you mean management.endpoints.web.exposure.include?",
        "management.everything, remove it",
        "servr.port, did you mean server.port?",
        "managment.server.port, did you mean management.server.port?",
        "server.max-http-header-size, use server.max-http-request-header-size"
    })
    void name_that_boot_does_not_have_is_reported(String name, String remedy) {
        assertThat(warnings(argument(name)))
                .containsExactly(
                        name + ": unknown property of Spring Boot, which has no effect; " + remedy);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.port",
                "server.jetty.threads.max",
                "server.ssl.enabledProtocols[0]",
                "management.server.ssl.bundle",
                "management.metrics.enable.jvm",
                "management.endpoints.web.path-mapping.prometheus",
                "management.endpoint.health.group.custom.include",
                "management.endpoint.mirrors.access",
                "management.health.mirrors.enabled",
                "spring.nothing",
                "servers.of.another.program"
            })
    void name_that_boot_has_is_not_reported(String name) {
        assertThat(warnings(argument(name))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "management.own.ssl.enabled-protocols[0], true",
        "management.own.ssl.enabledprotocols, true",
        "management.own.port, true",
        "management.own.prot, false",
        "management.own.ssl.prot, false",
        "management.own.port.x, false"
    })
    void name_that_a_bean_has_bound_is_not_reported(String name, boolean bound) {
        Map<ConfigurationPropertyName, Class<?>> beans =
                Map.of(
                        ConfigurationPropertyName.of("management.own"),
                        ManagementServerProperties.class);

        assertThat(warnings(beans, argument(name)).isEmpty()).isEqualTo(bound);
    }

    @Test
    void file_is_named_with_the_line(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("application.yaml"), "server:\n  prot: 1");

        assertThat(
                        warnings(
                                new YamlPropertySourceLoader()
                                        .load("file", new FileSystemResource(file))
                                        .getFirst()))
                .singleElement()
                .asString()
                .startsWith("server.prot (" + file + ", line 2): unknown");
    }

    @Test
    void variables_of_other_programs_are_not_reported() {
        assertThat(
                        warnings(
                                new SystemEnvironmentPropertySource(
                                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                        Map.of("SERVER_SOFTWARE", "x"))))
                .isEmpty();
    }

    @Test
    void own_file_has_no_unknown_name() throws IOException {
        PropertySource<?> own =
                new YamlPropertySourceLoader()
                        .load("own", new ClassPathResource("application.yaml"))
                        .getFirst();

        assertThat(warnings(own)).isEmpty();
    }
}
