// SPDX-License-Identifier: Apache-2.0
// Bullet in double precision, sequential impulses with a number of iterations (option 1). Its
// margins and the enlargement of its bounding boxes are absolute lengths (0.02 to 0.05), chosen for
// bodies of about one unit. In metres the boxes of 5 mm grains would overlap those of many others.
// So lengths are multiplied by `scale` inside. Two friction directions are used instead of the
// default one; with one, spheres pack too densely and walls slide.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "tools/bench/peers/driver.hpp"

namespace peers {

class Bullet {
 public:
  Bullet(const Scene& scene, const std::vector<std::string>& options) : scene_(scene) {
    world_.setGravity(scaled(scene.gravity));
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_numIterations = options.empty() ? 50 : std::atoi(options[0].c_str());
    info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    info.m_minimumSolverBatchSize = 1
                                    << 20;  // all islands in one solve: setting up many costs more
    for (const Body& body : scene.bodies) add(body);
  }
  ~Bullet() {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step(double time) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!scene_.bodies[i].driven()) continue;
      btTransform place;
      motions_[i]->getWorldTransform(place);
      place.getOrigin() += scaled(scene_.bodies[i].velocity(time)) * scene_.step;
      motions_[i]->setWorldTransform(place);
    }
    world_.stepSimulation(scene_.step, 0, scene_.step);
  }

  void states(std::vector<State>& states) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const btVector3 x = bodies_[i]->getWorldTransform().getOrigin() / scale;
      const btQuaternion q = bodies_[i]->getWorldTransform().getRotation();
      const btVector3 v = bodies_[i]->getLinearVelocity() / scale,
                      spin = bodies_[i]->getAngularVelocity();
      states[i] = {{x.x(), x.y(), x.z()},
                   {q.w(), q.x(), q.y(), q.z()},
                   {v.x(), v.y(), v.z()},
                   {spin.x(), spin.y(), spin.z()}};
    }
  }

  int contacts() {
    int count = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
      count += dispatcher_.getManifoldByIndexInternal(i)->getNumContacts();
    return count;
  }

 private:
  static constexpr double scale = 100;
  static btVector3 scaled(const Triple& x) { return btVector3(x[0], x[1], x[2]) * scale; }

  void add(const Body& body) {
    if (body.sphere)
      shapes_.push_back(std::make_unique<btSphereShape>(body.half[0] * scale));
    else
      shapes_.push_back(std::make_unique<btBoxShape>(scaled(body.half)));
    const btTransform place(btQuaternion::getIdentity(), scaled(body.position));
    motions_.push_back(std::make_unique<btDefaultMotionState>(place));
    const Triple inertia = body.inertia();
    btRigidBody::btRigidBodyConstructionInfo info(body.mass(), motions_.back().get(),
                                                  shapes_.back().get(), scaled(inertia) * scale);
    info.m_friction = std::sqrt(scene_.friction);  // Bullet multiplies those of the two bodies
    info.m_restitution = std::sqrt(scene_.restitution);
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& added = *bodies_.back();
    added.setActivationState(DISABLE_DEACTIVATION);
    if (body.driven())
      added.setCollisionFlags(added.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    world_.addRigidBody(&added);
  }

  const Scene& scene_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btMotionState>> motions_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace peers

int main(int argc, char** argv) { return peers::drive<peers::Bullet>(argc, argv); }
