package greeter;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.ConfigurableApplicationContext;

import java.util.Map;

/**
 * An application with Spring Cloud Kubernetes: its configuration is a config map, and it discovers
 * services. KUBERNETES_MASTER leads to the API server, NAMESPACE is where it works.
 */
@SpringBootApplication
public class Application {

    @Value("${greeting}")
    String greeting;

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setDefaultProperties(
                Map.of(
                        "spring.main.cloud-platform", "kubernetes",
                        "spring.main.banner-mode", "off",
                        "spring.application.name", "greeter",
                        "spring.config.import", "kubernetes:",
                        "logging.level.root", "OFF",
                        "spring.cloud.kubernetes.client.namespace", System.getenv("NAMESPACE")));
        try (ConfigurableApplicationContext context = application.run(args)) {
            System.out.println("greeting: " + context.getBean(Application.class).greeting);
            DiscoveryClient discovery = context.getBean(DiscoveryClient.class);
            System.out.println("services: " + discovery.getServices());
            discovery
                    .getInstances("web")
                    .forEach(found -> System.out.println("instance: " + found.getUri()));
        }
    }
}
