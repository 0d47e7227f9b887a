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
        Set<String> names = new TreeSet<>(levels.keySet());
        names.addAll(before.levels.keySet());
        names.removeIf(name -> levels.get(name) == before.levels.get(name));
        Set<String> properties = new TreeSet<>();
        names.forEach(name -> properties.add(NAME + "." + name));
        return properties;
    }

    /** Sets the levels that differ, and returns loggers without a level to that of their parent. */
    public void replace(LogLevels before, LoggingSystem system, LoggerGroups groups) {
        Map<String, LogLevel> all = new TreeMap<>(before.levels);
        all.putAll(levels);
        for (String name : all.keySet()) {
            LogLevel level = levels.get(name);
            if (level != before.levels.get(name)) {
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
}
