package io.kubemirror.feature.reload;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.ConfigurationFiles;
import io.kubemirror.app.config.CurrentProperties;
import io.kubemirror.testing.MirrorSets;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerGroups;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** After any history of reloads, the configuration in force is that of a fresh start. */
@Timeout(300)
class ReloadHistoryTest {

    private static final int HISTORIES = 20;

    private static final List<String> LINES =
            List.of(
                    "  connections: {max: 20, max-per-client: 3}\n",
                    "  history: {span: 5s, max-events: 300}\n",
                    "  defaults: {page-size: 7, reads: verify}\n",
                    "  shutdown: {delay: 1s}\n",
                    "  watches: {timeout: 5m, batch: {max-events: 3}}\n",
                    "  upstream: {lost-after: 20m, concurrent-lists: 2}\n",
                    "  allowed-hosts: [a.example.com]\n",
                    "  allow-secrets: true\n",
                    "logging.level: {io.kubemirror.x: debug}\n",
                    "logging.level.io.kubemirror.y: warn\n");

    private static final List<String> RESOURCES =
            List.of(
                    "    - {resource: pods}\n",
                    "    - {resource: pods, namespaces: [a, b], label-selector: x=y}\n",
                    "    - {resource: configmaps, drop-fields: [data]}\n",
                    "    - {resource: services, max-objects: 5}\n",
                    "    - {resource: nodes, strategy: list-watch}\n",
                    "    - {resource: events, history: {span: 1s}}\n");

    private static final List<String> MISTAKES =
            List.of(
                    "  unknown: 1\n",
                    "  connections: {max: -1}\n",
                    "  history: [\n",
                    "kubemirror:\n");

    @TempDir private Path directory;

    /** What a process has from its configuration. */
    private final class Running {

        private final Map<String, LogLevel> levels = new TreeMap<>();
        private final CurrentProperties current;
        private final ConfigurationStatus status = new ConfigurationStatus(() -> Instant.EPOCH);
        private final ConfigurationReloader reloader;

        Running() {
            StandardEnvironment before = new StandardEnvironment();
            before.getPropertySources()
                    .addFirst(
                            new MapPropertySource(
                                    "commandLineArgs",
                                    Map.of(
                                            "spring.config.location",
                                            "optional:classpath:/,file:" + directory + "/")));
            ConfigurationFiles files = new ConfigurationFiles(new DefaultBootstrapContext());
            files.postProcessEnvironment(before, new SpringApplication());
            ConfigurableEnvironment start = files.read();
            current = new CurrentProperties(BoundRecords.bind(start));
            LogLevels.of(start).levels().forEach(levels::put);
            reloader =
                    new ConfigurationReloader(
                            files,
                            start,
                            current,
                            MirrorSets.of(),
                            logging(),
                            new LoggerGroups(),
                            status);
        }

        private LoggingSystem logging() {
            return new LoggingSystem() {
                @Override
                public void beforeInitialize() {}

                @Override
                public void setLogLevel(@Nullable String name, @Nullable LogLevel level) {
                    Objects.requireNonNull(name);
                    if (level == null) {
                        levels.remove(name);
                    } else {
                        levels.put(name, level);
                    }
                }
            };
        }
    }

    @Test
    void running_configuration_equals_that_of_a_fresh_start() throws IOException {
        long seed = 15;
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < HISTORIES; i++) {
            write(configuration(random));
            Running running = new Running();
            String last = Files.readString(directory.resolve("application.yaml"));
            for (int change = 0; change < 1 + random.nextInt(4); change++) {
                boolean mistake = random.nextInt(3) == 0;
                String next = configuration(random);
                write(mistake ? next + MISTAKES.get(random.nextInt(MISTAKES.size())) : next);
                running.reloader.run();
                assertThat(running.status.difference().problem().isEmpty())
                        .as(
                                "seed %d, history %d: %s",
                                seed, i, running.status.difference().problem())
                        .isNotEqualTo(mistake);
                last = mistake ? last : next;
                refused += mistake ? 1 : 0;
            }
            write(last);
            Running fresh = new Running();
            assertThat(running.current.records())
                    .as("seed %d, history %d", seed, i)
                    .isEqualTo(fresh.current.records());
            assertThat(running.levels).isEqualTo(fresh.levels);
        }
        assertThat(refused).isPositive();
    }

    private void write(String yaml) throws IOException {
        Files.writeString(directory.resolve("application.yaml"), yaml);
    }

    /** Draws a configuration without a mistake. */
    private static String configuration(Random random) {
        StringBuilder yaml = new StringBuilder("kubemirror:\n  resources:\n");
        boolean verifies = random.nextBoolean();
        for (String resource : RESOURCES) {
            boolean partial = resource.contains("drop-fields");
            if (random.nextBoolean() && !(verifies && partial)) {
                yaml.append(resource);
            }
        }
        yaml.append("    - {resource: leases.coordination.k8s.io}\n");
        for (String line : LINES) {
            if (line.contains("verify") ? verifies : random.nextBoolean()) {
                yaml.append(line);
            }
        }
        return yaml.toString();
    }
}
