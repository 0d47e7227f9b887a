package io.kubemirror.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * Finds resources for an application of a test. A scan of the class path finds only the classes of
 * the application that refer to Spring, and finds them once: it reads each class at each start, and
 * nine of ten are tests or no components.
 */
public final class ComponentResources extends PathMatchingResourcePatternResolver {

    private static final String SPRING = "Lorg/springframework/";

    private static final String TESTS =
            ComponentResources.class.getProtectionDomain().getCodeSource().getLocation().toString();

    private static final Map<String, List<Resource>> SCANNED = new ConcurrentHashMap<>();

    @Override
    public Resource[] getResources(String pattern) throws IOException {
        return pattern.endsWith("/**/*.class")
                ? SCANNED.computeIfAbsent(pattern, this::scan).toArray(Resource[]::new)
                : super.getResources(pattern);
    }

    private List<Resource> scan(String pattern) {
        return Stream.of(Unchecked.call(() -> super.getResources(pattern)))
                .filter(found -> Unchecked.call(() -> isOfApplication(found)))
                .toList();
    }

    private static boolean isOfApplication(Resource found) throws IOException {
        return !found.getURL().toString().startsWith(TESTS)
                && found.getContentAsString(ISO_8859_1).contains(SPRING);
    }
}
