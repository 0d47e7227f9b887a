package io.kubemirror.feature.reload;

import module java.base;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerGroup;
import org.springframework.boot.logging.LoggerGroups;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.Environment;

/**
 * The log levels of a configuration.
 *
 * @param levels the levels by the name of a logger, or of a group of loggers
 */
public record LogLevels(Map<String, LogLevel> levels) {

    private static final String NAME = "logging.level";

    private static final String ROOT = "root";

    /** Reads the levels of an environment. */
    public static LogLevels of(Environment environment) {
        return new LogLevels(
                Binder.get(environment)
                        .bind(NAME, Bindable.mapOf(String.class, LogLevel.class))
                        .orElse(Map.of()));
    }

    /** Returns the properties whose values differ. */
    public Set<String> changed(LogLevels before) {
        return differing(before).stream()
                .map(name -> NAME + "." + name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> differing(LogLevels before) {
        return ConfigurationReloader.differing(before.levels, levels, _ -> true);
    }

    /** Sets the levels that differ, and returns loggers without a level to that of their parent. */
    public void replace(LogLevels before, LoggingSystem system, LoggerGroups groups) {
        for (String name : differing(before)) {
            LogLevel level = levels.get(name);
            LoggerGroup group = groups.get(name);
            if (group != null && group.hasMembers()) {
                group.configureLogLevel(level, system::setLogLevel);
            } else if (name.equalsIgnoreCase(ROOT)) {
                system.setLogLevel(null, level == null ? LogLevel.INFO : level);
            } else {
                system.setLogLevel(name, level);
            }
        }
    }
}
