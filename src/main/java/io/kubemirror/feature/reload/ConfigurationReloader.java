package io.kubemirror.feature.reload;

import module java.base;

import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.ConfigurationErrorReporter;
import io.kubemirror.app.config.ConfigurationFiles;
import io.kubemirror.app.config.CurrentProperties;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.LoggerGroups;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Puts the present content of the configuration files in force, as far as that is possible without
 * a restart (reload.md).
 *
 * <p>The files are read, bound, and checked by the code of the start. If there is a mistake in
 * them, nothing changes, and the log, health, and the diagnosis have the line that a start would
 * have ended with.
 *
 * <p>Safe for use by any thread. Reloads come one at a time, under a lock that only reloads take.
 */
final class ConfigurationReloader implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(ConfigurationReloader.class);

    private static final String LOG_LEVELS = "logging.level.";

    private static final String RESOURCES = "kubemirror.resources[";

    private final ConfigurationFiles files;
    private final ConfigurableEnvironment start;
    private final CurrentProperties properties;
    private final MirrorSet mirrors;
    private final LoggingSystem logging;
    private final LoggerGroups groups;
    private final ConfigurationStatus status;
    private final BoundRecords started;
    private LogLevels levels;

    /** Whether everything has learned of the configuration in force. */
    private volatile boolean complete = true;

    /** The properties of the files when they were read last. */
    private Map<String, Object> content;

    /**
     * Creates a reloader for the files that the start has read.
     *
     * @param start the environment of the start
     */
    ConfigurationReloader(
            ConfigurationFiles files,
            ConfigurableEnvironment start,
            CurrentProperties properties,
            MirrorSet mirrors,
            LoggingSystem logging,
            LoggerGroups groups,
            ConfigurationStatus status) {
        this.files = files;
        this.start = start;
        this.properties = properties;
        this.mirrors = mirrors;
        this.logging = logging;
        this.groups = groups;
        this.status = status;
        this.started = properties.records();
        this.levels = LogLevels.of(start);
        this.content = ConfigurationFiles.properties(start);
    }

    /** Reads the files, and does nothing if they are as before. */
    @Override
    public synchronized void run() {
        ConfigurableEnvironment environment = null;
        try {
            environment = files.read();
            Map<String, Object> now = ConfigurationFiles.properties(environment);
            boolean refused = !status.difference().problem().isEmpty();
            if (!now.equals(content) || refused) {
                reload(environment);
                content = now;
            }
        } catch (RuntimeException mistake) {
            refuse(ConfigurationErrorReporter.line(mistake, environment));
        }
    }

    private void refuse(String problem) {
        if (!problem.equals(status.difference().problem())) {
            status.refused(problem);
            log.error("The configuration files are not in force: {}", problem);
        }
    }

    private void reload(ConfigurableEnvironment environment) {
        BoundRecords next = BoundRecords.bind(environment);
        LogLevels nextLevels = LogLevels.of(environment);
        BoundRecords last = properties.records();
        Map<String, Object> after = next.values();
        Predicate<String> fixed = started.fixed();
        List<Mirror> mirrored = mirrors.all();
        Runnable change = properties.prepare(next);

        String failure = failure(change);
        nextLevels.replace(levels, logging, groups);
        Set<String> changed =
                differing(
                        last.values(),
                        after,
                        name -> !fixed.test(name) && !name.startsWith(RESOURCES));
        changed.addAll(nextLevels.changed(levels));
        changed.addAll(differing(mirrored, mirrors.all()));
        levels = nextLevels;
        List<String> restart = needingRestart(environment, after, fixed);
        if (failure.isEmpty()) {
            report(changed, restart);
            status.applied(restart);
        } else {
            refuse(failure);
        }
        complete = failure.isEmpty();
    }

    /** Puts a configuration in force. Returns why only a part of it is, empty if all of it is. */
    private static String failure(Runnable change) {
        try {
            change.run();
            return "";
        } catch (CurrentProperties.IncompleteException incomplete) {
            return "only a part of them is, because of an internal error (%s); this is tried again"
                    .formatted(incomplete.kind());
        }
    }

    /**
     * Returns whether all of the files is in force. If not, read them again: what they are refused
     * for, such as a file that they name, may change without them.
     */
    boolean isComplete() {
        return complete && status.difference().problem().isEmpty();
    }

    private void report(Set<String> changed, List<String> restart) {
        String nothing = complete ? "nothing changes" : "the rest of it takes effect";
        log.info(
                "Reloaded the configuration: {}",
                changed.isEmpty() ? nothing : String.join(", ", changed));
        if (!restart.isEmpty() && !restart.equals(status.difference().restart())) {
            log.warn("Needs a restart to take effect: {}", String.join(", ", restart));
        }
    }

    /** Names the mirrors that have come and gone. */
    private static List<String> differing(List<Mirror> last, List<Mirror> next) {
        List<String> before = names(last);
        List<String> after = names(next);
        List<String> names = new ArrayList<>();
        next.stream()
                .filter(mirror -> !last.contains(mirror))
                .map(mirror -> mirror.scope().toString())
                .forEach(
                        name ->
                                names.add(
                                        name
                                                + (before.contains(name)
                                                        ? " (changed)"
                                                        : " (added)")));
        before.stream()
                .filter(name -> !after.contains(name))
                .forEach(name -> names.add(name + " (removed)"));
        return names;
    }

    private static List<String> names(List<Mirror> mirrors) {
        return mirrors.stream().map(mirror -> mirror.scope().toString()).toList();
    }

    private List<String> needingRestart(
            ConfigurableEnvironment environment,
            Map<String, Object> after,
            Predicate<String> fixed) {
        List<String> names = new ArrayList<>(differing(started.values(), after, fixed));
        Set<String> others = new TreeSet<>(ConfigurationFiles.properties(start).keySet());
        others.addAll(ConfigurationFiles.properties(environment).keySet());
        others.removeIf(name -> name.startsWith("kubemirror.") || name.startsWith(LOG_LEVELS));
        others.removeIf(
                name ->
                        Objects.equals(
                                ConfigurationFiles.value(start, name),
                                ConfigurationFiles.value(environment, name)));
        names.addAll(others);
        return names;
    }

    /** Returns the names with different values, of those that are meant. */
    static Set<String> differing(
            Map<String, ?> one, Map<String, ?> other, Predicate<String> which) {
        Set<String> names = new TreeSet<>(one.keySet());
        names.addAll(other.keySet());
        names.removeIf(name -> !which.test(name) || Objects.equals(one.get(name), other.get(name)));
        return names;
    }
}
